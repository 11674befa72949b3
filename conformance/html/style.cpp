// SPDX-License-Identifier: Apache-2.0
#include "conformance/html/style.hpp"

namespace mxcert::html {

const std::string_view style = R"css(:root {
  --paper: #ffffff; --card: #f6f8fa; --ink: #1b2430; --muted: #525d6b; --line: #d0d7de; --link: #0b57b0;
  --good: #0b6433; --good-back: #e0f3e7; --bad: #a61b14; --bad-back: #fde8e6; --open: #6b4700; --open-back: #fbf0d2;
  --none: #f0f2f4; --asked-1: #d6e3ef; --asked-2: #abc6de; --asked-3: #7ea6ca;
  --wrong-1: #f0a04b; --wrong-2: #d8431f; --wrong-3: #7d0d12;
  --sign: #a61b14; --exponent: #0b57b0; --fraction: #0b6433; --scale: #6b3fa0;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #12161b; --card: #1b2127; --ink: #e6eaee; --muted: #a9b3bd; --line: #39424c; --link: #8ab8f5;
    --good: #74d69c; --good-back: #12331f; --bad: #ff9f96; --bad-back: #401613; --open: #f0c568; --open-back: #3a2c08;
    --none: #1e242b; --asked-1: #2a3d4f; --asked-2: #355873; --asked-3: #4a7a9e;
    --wrong-1: #f5c07f; --wrong-2: #ff8a52; --wrong-3: #ff4747;
    --sign: #ff9f96; --exponent: #8ab8f5; --fraction: #74d69c; --scale: #cdb0f5;
  }
}
* { box-sizing: border-box; }
html { color-scheme: light dark; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1rem clamp(.75rem, 3vw, 2rem) 3rem; max-width: 76rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1, h2, h3, p, li, dd, td, th, summary { overflow-wrap: anywhere; }
h1 { margin: 0 0 .75rem; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.25rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
h3 { margin: 1.25rem 0 .35rem; font-size: 1rem; }
p { margin: .35rem 0; }
a { color: var(--link); }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .875em; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; margin: .5rem 0; padding: .5rem .75rem; background: var(--card); border-radius: .3rem; }
.kicker, .note, footer, .label { color: var(--muted); }
.kicker { margin: 0; }
.below { padding-left: 1.25rem; }
#verdict { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
#verdict .badge { font-size: 1.1rem; }
.badge { display: inline-block; padding: 0 .5rem; border-radius: .3rem; border: 1px solid currentColor;
  font-weight: 600; white-space: nowrap; }
.good { color: var(--good); background: var(--good-back); }
.bad { color: var(--bad); background: var(--bad-back); }
.open { color: var(--open); background: var(--open-back); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(13rem, 40%), 1fr)); gap: .5rem 1.5rem; margin: 1rem 0; }
.facts dt { color: var(--muted); font-size: .875rem; }
.facts dd { margin: 0; }
.facts .long { grid-column: 1 / -1; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0 0; padding: 0; list-style: none; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .9375rem; }
th, td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; overflow-wrap: normal; }
td { overflow-wrap: break-word; min-width: 3ch; }
td code { overflow-wrap: anywhere; }
td:first-child { min-width: 9rem; }
.cells td:first-child, .matrix td, .counts td:first-child { min-width: 5rem; }
.matrix td:first-child code, .parameters code { overflow-wrap: normal; white-space: nowrap; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
details { margin: .5rem 0; }
p.row, details.row { border: 1px solid var(--line); border-radius: .5rem; padding: .25rem .75rem; }
details.row[open] { padding-bottom: .75rem; }
figure { margin: .75rem 0; }
summary { cursor: pointer; padding: .25rem 0; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.command { padding: .35rem .6rem; background: var(--card); border-radius: .3rem; }
.label { display: inline-block; min-width: 4rem; font-size: .875rem; }
.difference { border-left: 3px solid var(--line); padding-left: .75rem; margin: .75rem 0; }
.difference dl { display: grid; grid-template-columns: minmax(5.5rem, max-content) 1fr; gap: .1rem .75rem; margin: .25rem 0; }
.difference dt { color: var(--muted); }
.difference dd { margin: 0; min-width: 0; }
.bits { font-size: .875em; overflow-wrap: anywhere; }
.bits b { font-weight: 600; padding: 0 1px; margin-right: 2px; border-bottom: 2px solid currentColor; }
.bits .sign { color: var(--sign); } .bits .exponent { color: var(--exponent); }
.bits .fraction { color: var(--fraction); } .bits .scale { color: var(--scale); }
.bar { display: inline-block; width: 6rem; max-width: 100%; height: .7rem; background: var(--none);
  border: 1px solid var(--muted); border-radius: .2rem; overflow: hidden; vertical-align: middle; }
.bar i { display: block; height: 100%; background: var(--asked-3); }
svg.map { display: block; width: 100%; min-width: 44rem; max-width: 66rem; height: auto; }
svg.map text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg.map .raised { font-size: 9px; }
.map .edge { fill: none; stroke: var(--muted); } .map .tick { stroke: var(--muted); }
.map .mark, .legend .mark { fill: var(--bad); }
.map .none { fill: var(--none); }
.map .asked-1 { fill: var(--asked-1); } .map .asked-2 { fill: var(--asked-2); } .map .asked-3 { fill: var(--asked-3); }
.map .wrong-1 { fill: var(--wrong-1); } .map .wrong-2 { fill: var(--wrong-2); } .map .wrong-3 { fill: var(--wrong-3); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .25rem 0; padding: 0; list-style: none;
  font-size: .875rem; }
.legend svg { width: .9rem; height: .9rem; vertical-align: -.1rem; border: 1px solid var(--muted); }
.plot svg { min-width: 44rem; max-width: 100%; height: auto; }
.plot svg text { fill: var(--ink); }
.plot svg > rect[fill="#ffffff"] { fill: var(--paper); }
.plot svg .grid { stroke: var(--line); }
.plot svg [stroke="#52606d"] { stroke: var(--muted); }
.plot svg path[stroke="#000000"] { stroke: var(--ink); } .plot svg circle[fill="#000000"] { fill: var(--ink); }
.plot svg [stroke="#1f2933"] { stroke: var(--ink); }
.matrix th:not(:first-child), .matrix td:not(:first-child) { text-align: right; }
@media screen and (max-width: 36rem) {
  table { font-size: .875rem; }
  th, td { padding-right: .5rem; }
  td:first-child { min-width: 6rem; }
  .parameters td:first-child { min-width: 0; }
  .matrix td { min-width: 0; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
  summary { list-style: none; }
  .wide { overflow: visible; }
  table { font-size: 8.5pt; }
  svg.map, .plot svg { min-width: 0; }
  .difference, tr, svg { break-inside: avoid; }
  h2, h3, summary { break-after: avoid; }
  svg, .bar, .badge { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

} // namespace mxcert::html
