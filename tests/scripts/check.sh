# For tests of scripts: `check NAME COMMAND...` is one test, `refused NAME TEXT COMMAND...` wants a failure whose message has the text;
# `skip NAME WHY` leaves one out; `finish` prints the count in the form of config/run-tests.py. $work is an empty folder, which goes away.
passed=0 failed=0 skipped=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

result() {
  if [ "$1" = 0 ]; then
    passed=$((passed + 1))
    echo "ok $2"
  else
    failed=$((failed + 1))
    echo "not ok $2"
    sed 's/^/#  /' "$work/log" | tail -n 12
  fi
}
check() {
  local name=$1 rc=0
  shift
  "$@" >"$work/log" 2>&1 || rc=1
  result $rc "$name"
}
refused() {
  local name=$1 text=$2 rc=0
  shift 2
  if "$@" >"$work/log" 2>&1; then rc=1; fi
  grep -qF -- "$text" "$work/log" || rc=1
  result $rc "$name"
}
skip() {
  skipped=$((skipped + 1))
  echo "ok $1 # SKIP $2"
}
finish() {
  echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
  [ $failed = 0 ]
}
