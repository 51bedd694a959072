#!/usr/bin/env bash
# autocsr_report: pages of the benchmarks that are kept and of real views are well-formed, need no other file, and say what they should.
# Usage: tests/scripts/report.sh
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
tool=$PWD/src/benchmarks/programs/autocsr_report
page=$work/page.html
# well_formed: the page is XML whose elements need nothing from elsewhere
well_formed() {
  python3 - "$page" <<'PY'
import sys, xml.etree.ElementTree as E
text = open(sys.argv[1], encoding='utf-8').read()
root = E.fromstring(text.replace('<!DOCTYPE html>', ''))
assert root.tag == 'html' and root.find('body') is not None and root.find("head/meta[@name='viewport']") is not None
for e in root.iter():
    assert e.tag not in ('script', 'link', 'img', 'iframe', 'object'), e.tag
    assert not {'src', 'href'} & set(e.attrib), e.attrib
assert 'url(' not in text and '@import' not in text and 'prefers-color-scheme: dark' in text
PY
}
made() { "$tool" -o "$page" "$@" && well_formed; }
says() { grep -qF -- "$1" "$page" || { echo "no $1"; false; }; }

# The mean and the least speed-up, told by awk
expected() {
  awk -F, -v peers="$2" '
    BEGIN { split(peers, list, " "); for (i in list) peer[list[i]] }
    $7 == "mult" { name = $10; sub(/^cusparse_.*/, "cusparse", name)
      if (name == "autocsr") own[$4] = $11
      if (name in peer && (!($4 in best) || $11 < best[$4])) best[$4] = $11 }
    END { least = 1e300; for (m in own) if (m in best) { r = best[m] / own[m]; s += log(r); n++; if (r < least) least = r }
      printf "<b>%.2fx</b><span>as fast as the best other type, mean of %d matrices</span></div><div class=\"card\"><b>%.2f-\n", exp(s / n), n, least }' "$1"
}
results=src/benchmarks/results
cpu=$results/cpu-amd-epyc-avx512-real64-zen5.csv gpu=$results/gpu-nvidia-h200-real64-heldout-second.csv
every() { local f; for f in $results/*.csv; do made "$f" >/dev/null || { echo "$f"; return 1; }; done; }
check "every CSV that is kept makes a page" every
check "a benchmark of a processor" made "$cpu"
check "... has the mean of the speed-ups and the least" says "$(expected $cpu 'aij aijsell aijperm')"
check "... and a bar for each matrix" says '<span>web-webbase-2001</span>'
check "a benchmark of a GPU, with forced strategies" made "$gpu"
check "... has the mean of the speed-ups and the least" says "$(expected $gpu 'aijcusparse sellcuda cusparse')"
check "... the data sheet's roof" says 'a part of 4,800 GB/s, by its data sheet'
check "... and losses of the choice" says 'Losses of the choice</h3>'
check "another roof" made --bandwidth 1e12 "$gpu"
check "... is on the page" says 'a part of 1,000 GB/s, as given'
check "several files, one of another form, one packed" bash -c "gzip -c $cpu >$work/packed.csv.gz && $tool -o $page --title 'A & B' $work/packed.csv.gz $results/gpu-nvidia-h200-dense.csv"
check "... are on one page" eval 'well_formed && says "<h2>packed.csv.gz</h2>" && says "<h2>gpu-nvidia-h200-dense.csv</h2>" && says "<title>A &amp; B</title>"'
{ head -n 1 $cpu; sed -n '2,10s/poisson3d7/<b>\&"x/p' $cpu; } >"$work/odd.csv"
check "names with characters of HTML" eval 'made "$work/odd.csv" && says "&lt;b&gt;&amp;&quot;x"'

# Views of a program: one process, several, and a matrix without a plan
ask() { make -s --eval="ask: ; @echo '$1'" ask; }
solve=$(ask '$(BUILD)/examples/solve')
make -s all "$solve" "$(ask '$(BUILD)/data/stamp')" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
library=$(ask '$(library)') data=$(ask '$(BUILD)/data')
view() { # PROCESSES MATRIX FILE OPTION...
  local n=$1 matrix=$2 file=$3
  shift 3
  config/with-mpi.sh mpiexec -n "$n" "$solve" -f "$data/$matrix.bin" -dll_append "$library" -mat_type autocsr -mat_autocsr_machine shipped:reference -pc_type none -ksp_max_it 1 -autocsr_view ":$work/$file:ascii_json" "$@" >/dev/null
}
check "a view is written" view 1 web-webbase-2001 one.json -mat_autocsr_strategy binned -mat_autocsr_max_bins 1
check "... and makes a page" made "$work/one.json"
pattern() {
  python3 - "$page" "$work/one.json" <<'PY'
import json, sys, xml.etree.ElementTree as E
root = E.fromstring(open(sys.argv[1]).read().replace('<!DOCTYPE html>', ''))
picture = json.load(open(sys.argv[2]))['picture']
drawn = 0
for p in root.find(".//svg[@class='pattern']"):
    drawn += sum(int(part.split('h')[1]) for part in p.get('d').split('M')[1:])
assert drawn == sum(c != '.' for row in picture['cells'] for c in row) > 100, drawn
PY
}
check "... with each cell of the pattern" pattern
check "... the segments" says '<td class="left">binned</td>'
check "... and why" says '<p class="why">binned: a single bin'
check "a view of two processes" eval 'view 2 bcsstk28 two.json && made "$work/two.json" && says "off-diagonal of 1" && says "2 processes"'
check "a matrix without a plan, and two views in a file" eval 'view 1 rza none.json && cat "$work/none.json" "$work/one.json" >"$work/both.json" && made "$work/both.json" && says "both.json (2 of 2)"'

refused "no file" "cannot be read" "$tool" -o "$page" "$work/nothing.json"
head -c 500 "$work/one.json" >"$work/half.json"
refused "half a view" "is no whole JSON document" "$tool" -o "$page" "$work/half.json"
echo '{"schema": 2, "blocks": []}' >"$work/later.json"
refused "a view of another schema" "no view of an autocsr matrix with schema 1" "$tool" -o "$page" "$work/later.json"
echo '{"schema": 1, "blocks": [{}]}' >"$work/lacks.json"
refused "a view that lacks keys" "lacks something" "$tool" -o "$page" "$work/lacks.json"
: >"$work/empty"
refused "an empty file" "is neither the JSON of a view nor a CSV file" "$tool" -o "$page" "$work/empty"
echo 'only words' >"$work/words"
refused "a file of something else" "is neither the JSON of a view nor a CSV file" "$tool" -o "$page" "$work/words"
python3 -c "import json, sys; d = json.load(open(sys.argv[1])); d['ranks'] = '<script>alert(1)</script>'; json.dump(d, open(sys.argv[2], 'w'))" "$work/one.json" "$work/script.json"
refused "markup in a number" "has a bad value" "$tool" -o "$page" "$work/script.json"
python3 -c "import sys; print('{\"a\":' * 100000)" >"$work/deep.json"
refused "a document too deep" "has a bad value" "$tool" -o "$page" "$work/deep.json"
printf '\x1f\x8bnothing' >"$work/bad.gz"
refused "a damaged archive" "cannot be read" "$tool" -o "$page" "$work/bad.gz"
refused "bytes that are no text" "cannot be read" "$tool" -o "$page" "$library"
sed '3s/,mult,1,real64,\([a-z]*\),[0-9.]*/,mult,1,real64,\1,fast/' $cpu >"$work/bad.csv"
refused "a time that is no number" "has a bad value" "$tool" -o "$page" "$work/bad.csv"
refused "a folder that is not there" "cannot be written" "$tool" -o "$work/no/page.html" "$cpu"
refused "a bad bandwidth" "takes bytes a second" "$tool" --bandwidth nan -o "$page" "$cpu"
finish
