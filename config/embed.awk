# Headers as C strings, without comments and #include lines: the text that the compiler at run time gets (cuda/generator).
# Usage: awk -f config/embed.awk HEADER... >text.c
BEGIN {print "/* Made by config/embed.awk */\n__attribute__((visibility(\"hidden\"))) extern const char *const AutoCSRAgentText[];\nconst char *const AutoCSRAgentText[] = {"}
FNR == 1 {
  if (open) print "  ,"
  open = 1
  inside = 0
}
{
  line = $0
  kept = ""
  while (line != "") {
    if (inside) {
      at = index(line, "*/")
      if (!at) break
      line = substr(line, at + 2)
      inside = 0
    } else {
      at = index(line, "/*")
      if (!at) {
        kept = kept line
        break
      }
      kept = kept substr(line, 1, at - 1)
      line = substr(line, at + 2)
      inside = 1
    }
  }
  if (kept ~ /^ *#include/) kept = ""
  sub("^ +", "", kept)
  sub(" +$", "", kept)
  if (kept == "") next
  gsub(/["\\]/, "\\\\&", kept)
  print "  \"" kept "\\n\""
}
END {print "  , 0};"}
