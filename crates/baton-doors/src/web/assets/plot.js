// A network's last hours, step by step: bars of how tasks ended, a line of how many were sent, and below it how long
// they took. Real counters, drawn as SVG; the figures of a step are shown under the pointer, by the arrow keys, and in a
// table for screen readers.

import { html, useState } from '/assets/vendor.js';
import { ENDS } from '/assets/facts.js';
import { number, plural, useWidth } from '/assets/parts.js';
import { day, duration, minute, moment, parse } from '/assets/time.js';

const TALL = 132;
const LOW = 74;
const LEFT = 44;

function ceiling(value, least) {
  const top = Math.max(value, least);
  const step = 10 ** Math.floor(Math.log10(top));
  return [1, 2, 4, 5, 10].map((n) => n * step).find((n) => n >= top);
}

// Times have round figures of their own: half a minute, not 40 s.
const TIMES = [10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 20e3, 30e3, 60e3, 120e3, 300e3, 600e3, 1200e3, 1800e3, 3600e3, 7200e3, 5 * 3600e3, 12 * 3600e3, 24 * 3600e3];
const timeCeiling = (ms) => TIMES.find((time) => time >= ms) || ms;

const ended = (m) => ENDS.reduce((sum, end) => sum + m[end], 0);

// A line with gaps where nothing was measured.
function line(points) {
  let path = '';
  let pen = 'M';
  for (const [x, y] of points) {
    if (y == null) { pen = 'M'; continue; }
    path += `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
    pen = 'L';
  }
  return path;
}
// A measured step between two empty ones is a dot, not nothing.
const alone = (minutes, i, key) => minutes[i][key] != null && minutes[i - 1]?.[key] == null && minutes[i + 1]?.[key] == null;

function Axis({ y, height, top, width, text }) {
  return [0, 0.5, 1].map((part) => {
    const at = y + height - part * height;
    return html`<g><line class="grid" x1=${LEFT} x2=${width} y1=${at} y2=${at} />${(part !== 0.5) && html`<text class="tick" x=${LEFT - 8} y=${at + 4} text-anchor="end">${text(part * top)}</text>`}</g>`;
  });
}

export function Plot({ minutes, stepMinutes, name }) {
  const [box, width] = useWidth(640);
  const [at, setAt] = useState(null);
  const step = (width - LEFT) / minutes.length;
  const x = (i) => LEFT + i * step;
  const most = ceiling(Math.max(...minutes.map((m) => Math.max(m.sent, ended(m)))), 4);
  const slow = timeCeiling(Math.max(...minutes.map((m) => m.p95_ms || 0)));
  const y = (n) => TALL - (n / most) * TALL;
  const z = (ms) => (ms == null ? null : TALL + 44 + LOW - (ms / slow) * LOW);
  const move = (event) => {
    const rect = event.currentTarget.getBoundingClientRect();
    const i = Math.floor((event.clientX - rect.left - LEFT) / step);
    setAt(i >= 0 && i < minutes.length ? i : null);
  };
  const total = minutes.reduce((sum, m) => sum + ended(m), 0);
  const sent = minutes.reduce((sum, m) => sum + m.sent, 0);
  const shown = at == null ? null : minutes[at];
  const isLong = stepMinutes * minutes.length > 24 * 60;
  const tick = isLong ? day : minute;
  const when = (m) => (stepMinutes === 1 ? minute(m.at) : isLong ? moment(m.at) : `${minute(m.at)}–${minute(new Date(+parse(m.at) + stepMinutes * 60000))}`);
  const walk = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    setAt((was) => Math.min(minutes.length - 1, Math.max(0, was == null ? minutes.length - 1 : was + by)));
  };
  const bars = minutes.map((m, i) => {
    let floor = TALL;
    return ENDS.filter((end) => m[end]).map((end) => {
      const height = (m[end] / most) * TALL;
      floor -= height;
      return html`<rect class="bar f-${end}" x=${x(i) + step * 0.14} y=${floor} width=${Math.max(1, step * 0.72)} height=${height} rx=${Math.min(2, step * 0.2)} />`;
    });
  });
  const label = `${name}: ${plural(sent, 'task')} sent, ${plural(total, 'task')} ended.`;
  return html`<div class="plot" ref=${box}>
    <svg width=${width} height=${TALL + LOW + 74} role="img" aria-label=${label} tabindex="0" onPointerMove=${move} onPointerDown=${move} onPointerLeave=${() => setAt(null)} onKeyDown=${walk} onBlur=${() => setAt(null)}>
      <g transform="translate(0 8)">
        <${Axis} y=${0} height=${TALL} top=${most} width=${width} text=${number} />
        ${bars}
        <path class="line sent" d=${line(minutes.map((m, i) => [x(i) + step / 2, y(m.sent)]))} />
        <text class="tick name" x=${LEFT} y=${TALL + 32}>time from sent to ended</text>
        <${Axis} y=${TALL + 44} height=${LOW} top=${slow} width=${width} text=${duration} />
        <path class="line p95" d=${line(minutes.map((m, i) => [x(i) + step / 2, z(m.p95_ms)]))} />
        <path class="line p50" d=${line(minutes.map((m, i) => [x(i) + step / 2, z(m.p50_ms)]))} />
        ${minutes.map((m, i) => ['p95', 'p50'].filter((p) => alone(minutes, i, `${p}_ms`)).map((p) =>
          html`<circle class="lone ${p}" cx=${x(i) + step / 2} cy=${z(m[`${p}_ms`])} r="2.2" />`))}
        ${(width < 480 ? [0, 0.5] : [0, 0.25, 0.5, 0.75]).map((part) => Math.round(part * minutes.length)).map((i) => html`<text class="tick" x=${x(i)} y=${TALL + LOW + 62}>${tick(minutes[i].at)}</text>`)}
        <text class="tick" x=${width} y=${TALL + LOW + 62} text-anchor="end">now</text>
        ${shown && html`<rect class="cursor" x=${x(at)} y="0" width=${step} height=${TALL + 44 + LOW} />`}
      </g>
    </svg>
    <div class="visually-hidden"><table><caption>The times at which something happened</caption><thead><tr><th>Time</th><th>Sent</th>${ENDS.map((end) => html`<th>${end}</th>`)}<th>p50 duration</th></tr></thead>
      <tbody>${minutes.filter((m) => m.sent || ended(m)).map((m) => html`<tr key=${m.at}><td>${when(m)}</td><td>${m.sent}</td>${ENDS.map((end) => html`<td>${m[end]}</td>`)}<td>${duration(m.p50_ms)}</td></tr>`)}</tbody></table></div>
    <p class="legend">${shown
      ? html`<b>${when(shown)}</b><span><i class="line-key sent"></i>${number(shown.sent)} sent</span>${ENDS.filter((end) => shown[end]).map((end) => html`<span><i class="key f-${end}"></i>${number(shown[end])} ${end}</span>`)}
        ${shown.p50_ms != null && html`<span>p50 ${duration(shown.p50_ms)}, p95 ${duration(shown.p95_ms)}</span>`}`
      : html`<span><i class="line-key sent"></i>sent</span>${ENDS.map((end) => html`<span><i class="key f-${end}"></i>${end}</span>`)}<span><i class="line-key p50"></i>p50 duration</span><span><i class="line-key p95"></i>p95 duration</span>`}</p>
  </div>`;
}
