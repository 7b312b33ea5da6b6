// A piece in the hand: dragged from its place, or a disc above the board that falls where it is let go.

import type { Geometry } from './geometry';

interface Point {
  x: number;
  y: number;
}

/** The board that is played on, as it is at the moment. */
export interface Table {
  svg: SVGSVGElement | undefined;
  shape: Geometry;
  falls: boolean;
  /** Whether what lies in a place can be taken. */
  grabs: (place: number) => boolean;
  take: (place: number) => void;
  /** Where it is let go; null beside the board. */
  put: (place: number | null) => void;
}

/** How far a pointer moves before a click becomes a drag. */
const SLACK = 6;

export class Hand {
  /** What is held: from where, where it is now, and whether it has left its place. */
  held = $state<(Point & { place: number; far: boolean }) | null>(null);
  /** The place below the mouse. */
  hover = $state<number | null>(null);
  /** Whether the click that follows belongs to a drag. */
  swallow = false;
  #table: () => Table;

  constructor(table: () => Table) {
    this.#table = table;
  }

  #point(event: PointerEvent): Point {
    const matrix = this.#table().svg?.getScreenCTM()?.inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return { x, y };
  }

  /** The place at a point; where discs fall, one in that column. */
  #placeAt(at: Point): number | null {
    const { shape, falls } = this.#table();
    for (let i = 0; i < shape.count; i += 1) {
      const [w, h] = shape.half(i);
      if (Math.abs(at.x - shape.x(i)) <= w && (falls || Math.abs(at.y - shape.y(i)) <= h)) return i;
    }
    return null;
  }

  press(event: PointerEvent, place: number) {
    this.swallow = false;
    const { falls, grabs } = this.#table();
    if (event.button !== 0 || !(falls || grabs(place))) return;
    // Else a finger's moves would all belong to where it began.
    (event.target as Element).releasePointerCapture?.(event.pointerId);
    this.held = { place, ...this.#point(event), far: false };
  }

  pull(event: PointerEvent) {
    if (!this.held) return;
    const { falls, take } = this.#table();
    const at = this.#point(event);
    if (!this.held.far && Math.hypot(at.x - this.held.x, at.y - this.held.y) < SLACK) return;
    if (!this.held.far && !falls) take(this.held.place);
    if (falls) this.hover = this.#placeAt(at) ?? this.hover;
    this.held = { ...this.held, ...at, far: true };
  }

  release(event: PointerEvent) {
    const held = this.held;
    this.held = null;
    if (!held?.far) return;
    this.swallow = true;
    const { shape, falls, put } = this.#table();
    const at = this.#point(event);
    const outside = at.x < 0 || at.y < 0 || at.x > shape.width || at.y > shape.height;
    const place = outside ? null : this.#placeAt(at);
    // Put back, it stays chosen.
    if (place !== held.place || falls) put(place);
  }

  drop() {
    this.held = null;
  }
}
