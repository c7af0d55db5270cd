// Who sent tasks to whom, as a picture: senders on the left, recipients on the right, a band for each way tasks ended.
// Pure geometry: edges in, places out.

import { ENDS } from '/assets/facts.js';

const GAP = 14;
const LEAST = 16;
export const BANDS = [...ENDS, 'open'];

/// Places nodes and bands for `edges` in a picture `width` wide; its height follows from what is in it.
export function layout(edges, width, label) {
  // A user and an agent are two, whatever they are called.
  const sender = (edge) => `${edge.from_kind} ${edge.from_name}`;
  const senders = column(edges, sender, (edge) => edge.from_name);
  const recipients = column(edges, (edge) => edge.to_name, (edge) => edge.to_name);
  const total = edges.reduce((sum, edge) => sum + edge.total, 0);
  const rows = Math.max(senders.length, recipients.length);
  const room = Math.max(160, Math.min(560, rows * 34));
  const scale = room / Math.max(1, total);
  const height = Math.max(place(senders, scale), place(recipients, scale));
  const [left, right] = [label, Math.max(label + 60, width - label)];
  center(senders, height);
  center(recipients, height);
  const from = new Map(senders.map((n) => [n.id, n]));
  const to = new Map(recipients.map((n) => [n.id, n]));
  const bands = [];
  for (const edge of edges) {
    const [a, b] = [from.get(sender(edge)), to.get(edge.to_name)];
    for (const end of BANDS) {
      if (!edge[end]) continue;
      const [y0, y1] = [a.y + a.used * a.unit, b.y + b.used * b.unit];
      a.used += edge[end];
      b.used += edge[end];
      bands.push({ edge, end, path: ribbon(left, y0, edge[end] * a.unit, right, y1, edge[end] * b.unit) });
    }
  }
  return { height, left, right, senders, recipients, bands };
}

function column(edges, idOf, nameOf) {
  const nodes = new Map();
  for (const edge of edges) {
    const node = nodes.get(idOf(edge)) || { id: idOf(edge), name: nameOf(edge), total: 0, used: 0 };
    node.total += edge.total;
    nodes.set(node.id, node);
  }
  return [...nodes.values()].sort((a, b) => b.total - a.total || a.name.localeCompare(b.name));
}

// A node is never thinner than its label; its bands fill it.
function place(nodes, scale) {
  let y = 0;
  for (const node of nodes) {
    node.height = Math.max(LEAST, node.total * scale);
    node.unit = node.height / node.total;
    node.y = y;
    y += node.height + GAP;
  }
  return y - GAP;
}

function center(nodes, height) {
  const last = nodes[nodes.length - 1];
  const shift = (height - (last.y + last.height)) / 2;
  for (const node of nodes) node.y += shift;
}

function ribbon(x0, y0, h0, x1, y1, h1) {
  const mid = (x0 + x1) / 2;
  const f = (n) => n.toFixed(1);
  return `M${f(x0)} ${f(y0)}C${f(mid)} ${f(y0)} ${f(mid)} ${f(y1)} ${f(x1)} ${f(y1)}V${f(y1 + h1)}C${f(mid)} ${f(y1 + h1)} ${f(mid)} ${f(y0 + h0)} ${f(x0)} ${f(y0 + h0)}Z`;
}
