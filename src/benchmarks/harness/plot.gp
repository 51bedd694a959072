# One bar a matrix: autocsr by default; points: the best forced strategy and the peers. Called by src/benchmarks/harness/plot.
set output out
set title heading noenhanced
set datafile separator "\t"
set datafile missing "NaN"
set logscale y 2
set yrange [0.125:*]
set ytics (0.125, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 6, 8)
set format y "%gx"
set grid ytics
set xtics rotate by -55 noenhanced scale 0
set xrange [-0.7:]
set offsets 0, 0.7, 0, 0
set key outside top center horizontal
set style fill solid 0.85 noborder
set boxwidth 0.62
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead front lw 1.5 lc rgb "black"
array color[4] = ["#ee6677", "#228833", "#ccbb44", "#aa3377"]
array shape[4] = [7, 9, 5, 13]
array size[4]  = [0.8, 0.9, 0.7, 0.9]
plot data using 0:2:xtic(1) with boxes lc rgb "#4477aa" title "autocsr", \
     data using 0:3 with points pt 2 ps 1.0 lw 1.5 lc rgb "#222222" title "best forced strategy", \
     for [i=1:words(points)] data using 0:(column(i + 3)) with points pt shape[i] ps size[i] lc rgb color[i] title word(points, i)
