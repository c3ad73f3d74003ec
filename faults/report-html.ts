import { type Campaign, lineOf, totalsOf, violationLines } from './report-text.ts';

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

interface Row {
  readonly key: string;
  readonly count: number;
}

const BAR = { height: 20, label: 250, width: 420 } as const;

/** Horizontal bars with their numbers. */
function bars(title: string, rows: readonly Row[]): string {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const lines = rows.map(({ key, count }, index) => {
    const y = index * BAR.height;
    const width = (count / most) * BAR.width;
    return `<text x="${BAR.label - 8}" y="${y + 14}" text-anchor="end">${escapeText(key)}</text><rect x="${BAR.label}" y="${y + 3}" width="${width.toFixed(1)}" height="14"/><text x="${BAR.label + width + 6}" y="${y + 14}">${count}</text>`;
  });
  const [width, height] = [BAR.label + BAR.width + 60, rows.length * BAR.height];
  return `<h2>${escapeText(title)}</h2><svg viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${escapeText(title)}">${lines.join('')}</svg>`;
}

const PLOT = { width: 900, height: 220, margin: 40 } as const;

/** How long each run took, over the time at which it began; a violated run is red. */
function durations({ reports }: Campaign): string {
  const first = Math.min(...reports.map(({ startedAt }) => Date.parse(startedAt)));
  const points = reports.map((report) => ({
    at: (Date.parse(report.startedAt) - first) / 1000,
    seconds: report.seconds,
    isViolated: report.violations.length > 0,
    seed: report.scenario.seed,
  }));
  const [last, longest] = [
    Math.max(1, ...points.map(({ at }) => at)),
    Math.max(1, ...points.map(({ seconds }) => seconds)),
  ];
  const dots = points.map(({ at, seconds, isViolated, seed }) => {
    const x = PLOT.margin + (at / last) * (PLOT.width - 2 * PLOT.margin);
    const y = PLOT.height - PLOT.margin - (seconds / longest) * (PLOT.height - 2 * PLOT.margin);
    return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="4"${isViolated ? ' class="bad"' : ''}><title>seed ${seed}: ${seconds.toFixed(0)} s</title></circle>`;
  });
  const floor = PLOT.height - PLOT.margin;
  return `<h2>Seconds of each run, over time</h2><svg viewBox="0 0 ${PLOT.width} ${PLOT.height}" width="${PLOT.width}" role="img" aria-label="seconds of each run">
<line x1="${PLOT.margin}" y1="${floor}" x2="${PLOT.width - PLOT.margin}" y2="${floor}"/><line x1="${PLOT.margin}" y1="${PLOT.margin}" x2="${PLOT.margin}" y2="${floor}"/>
<text x="4" y="${PLOT.margin}">${longest.toFixed(0)} s</text><text x="4" y="${floor}">0</text><text x="${PLOT.width - PLOT.margin}" y="${floor + 18}" text-anchor="end">${last.toFixed(0)} s</text>
${dots.join('')}</svg>`;
}

const STYLE = `body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:960px;padding:0 1rem;color:#1c2430;background:#fff}
h1{font-size:22px}h2{font-size:16px;margin-top:2rem}svg{max-width:100%;height:auto}svg text{font-size:12px;fill:currentColor}rect,circle{fill:#2f6f9f}
.bad{fill:#c0392b}line{stroke:#9aa5b1}pre{white-space:pre-wrap;font-size:12px;border-top:1px solid #d5dbe1;padding-top:.5rem}
@media(prefers-color-scheme:dark){body{color:#e4e8ec;background:#161b21}rect,circle{fill:#6fb1dd}}`;

/** One page with charts. It loads nothing. */
export function htmlReport(campaign: Campaign): string {
  const { runs, operations, violated, faults, ends, vnfs, secondsEach, cpuEach } = totalsOf(campaign);
  const lines = campaign.reports
    .toSorted((a, b) => a.scenario.seed - b.scenario.seed)
    .map((report) => [lineOf(report), ...violationLines(report)].join('\n'));
  const verdict = violated.length === 0 ? 'no invariant was violated' : `${violated.length} runs violated an invariant`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Faults of vnflow: ${runs} runs</title><style>${STYLE}</style></head><body>
<h1>${runs} runs with faults: ${verdict}</h1>
<p>${operations} accepted requests. ${campaign.seconds.toFixed(0)} s in all, ${secondsEach.toFixed(1)} s a run, ${cpuEach.toFixed(1)} s of CPU time a run.</p>
${durations(campaign)}
${bars('Faults', faults)}
${bars('Operations, and how they came to rest', ends)}
${bars('VNFs, and versions of the API', vnfs)}
<h2>Runs</h2>${lines.map((line) => `<pre>${escapeText(line)}</pre>`).join('')}
</body></html>
`;
}
