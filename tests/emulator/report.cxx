/* What was found, and where: addresses by the debugger's lines of the program, as addr2line reads them */
#include "emulator.h"
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <unistd.h>

extern "C" const char __executable_start;

static std::string Run(const char *command)
{
  std::string text;
  char        line[1024];
  FILE       *pipe = popen(command, "r");

  if (!pipe) return text;
  while (fgets(line, sizeof(line), pipe)) text += line;
  pclose(pipe);
  return text;
}

/* file:line of the place and of those into which it is inlined, as file:line < file:line; the emulator's own words for the language are left out */
std::string SiteOf(const void *address)
{
  char               program[1024] = {0}, command[2048];
  std::string        sites, line;
  std::istringstream lines;
  int                n = 0;

  if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0) return "?";
  snprintf(command, sizeof(command), "addr2line -i -e '%s' %#lx 2>/dev/null", program, (unsigned long)((const char *)address - 1 - &__executable_start)); /* in the call itself */
  lines.str(Run(command));
  while (std::getline(lines, line) && n < 6) {
    if (line.find("/emulator/device.h:") != std::string::npos) continue;
    const size_t slash = line.rfind('/'), comment = line.find(" (");

    sites += (n++ ? " < " : "") + line.substr(slash == std::string::npos ? 0 : slash + 1, comment == std::string::npos ? comment : comment - slash - 1);
  }
  return sites.empty() ? "?" : sites;
}

static std::string KernelName()
{
  char program[1024] = {0}, command[2048];

  if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0) return "?";
  snprintf(command, sizeof(command), "addr2line -f -C -e '%s' %#lx 2>/dev/null", program, (unsigned long)((const char *)grid.kernel - &__executable_start));
  const std::string text = Run(command), name = text.substr(0, text.find('\n'));

  return name.substr(0, name.rfind('(')); /* without its parameters */
}

std::string NameOf(const Thread &t)
{
  char name[96];

  snprintf(name, sizeof(name), "thread %d (warp %d, lane %d)", t.index, t.warp, t.lane);
  return name;
}

void Fail(const char *format, ...)
{
  char    text[2048], place[160];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  snprintf(place, sizeof(place), "block %u of %u, ", grid.block, grid.blocks.x * grid.blocks.y * grid.blocks.z);
  grid.error = KernelName() + ", " + place + NameOf(*current) + ": " + text;
  for (;;) FiberYield(); /* it is not resumed */
}
