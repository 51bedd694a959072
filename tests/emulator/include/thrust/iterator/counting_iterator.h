/* Thrust's iterator over numbers, as far as the planner needs it */
#ifndef EMULATOR_THRUST_COUNTING_ITERATOR_H
#define EMULATOR_THRUST_COUNTING_ITERATOR_H

namespace thrust {
template <typename T>
class counting_iterator {
public:
  explicit counting_iterator(T begin)
      : begin_(begin)
  {
  }

  T operator[](T i) const
  {
    return begin_ + i;
  }

private:
  T begin_;
};
} // namespace thrust

#endif
