// Curves of a run from its samples, and files of them.

import type { Moment, Sample, WholeJob, WholeStore } from './api';

export function speed(samples: Sample[]): [number, number | null][] {
  const points: [number, number | null][] = [];
  let before = { seconds: 0, nodes: 0 };
  for (const s of samples) {
    const dt = s.seconds - before.seconds;
    if (dt < 0.02) continue;
    points.push([s.seconds, Math.max(0, s.nodes - before.nodes) / dt]);
    before = s;
  }
  return points;
}

export const fill = (samples: Sample[]): [number, number | null][] =>
  samples.map((s) => [s.seconds, s.table_permille / 10]);

export const proofNumber = (samples: Sample[], which: 'proof' | 'disproof'): [number, number | null][] =>
  samples.map((s) => [s.seconds, s.proof_numbers?.[which] ?? null]);

/** Proof or disproof number of a question about the root of a store. */
export const rootNumber = (
  moments: Moment[],
  question: 'win' | 'loss',
  which: 'proof' | 'disproof',
): [number, number | null][] => moments.map((m) => [m.seconds, m[question]?.[which] ?? null]);

/** What all provers of a store visit a second; each run counts from nothing. */
export function effort(moments: Moment[]): [number, number | null][] {
  const points: [number, number | null][] = [];
  let before = { seconds: 0, visited: 0 };
  for (const m of moments) {
    if (m.visited < before.visited) before = { seconds: before.seconds, visited: 0 };
    const dt = m.seconds - before.seconds;
    if (dt < 0.02) continue;
    points.push([m.seconds, (m.visited - before.visited) / dt]);
    before = m;
  }
  return points;
}

export function save(name: string, kind: string, content: string | Blob) {
  const url = URL.createObjectURL(new Blob([content], { type: kind }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** All charts of an element below each other, as one file. */
export function asSvg(element: Element): string {
  const charts = [...element.querySelectorAll('svg.chart')];
  const [w, h] = [420, 170];
  const inner = charts.map((chart, i) => {
    const copy = chart.cloneNode(true) as SVGElement;
    copy.removeAttribute('class');
    copy.setAttribute('y', String(i * (h + 10)));
    copy.setAttribute('width', String(w));
    copy.setAttribute('height', String(h));
    return new XMLSerializer().serializeToString(copy);
  });
  const height = charts.length * (h + 10);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${height}" width="${w}" height="${height}" color="#222"><rect width="100%" height="100%" fill="#fff"/>${inner.join('')}</svg>\n`;
}

export const asJson = (whole: WholeJob | WholeStore): string => JSON.stringify(whole, null, 1) + '\n';
