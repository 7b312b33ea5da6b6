// Chess men as outlines around 0, 0 in a square of 48, drawn for this page. All stand on the same base.

const BASE = 'M-12 18V14.5C-12 13-11 12-9.5 12H9.5C11 12 12 13 12 14.5V18Z';

interface Man {
  /** Filled, with an outline. */
  body: string;
  /** Lines on it. */
  lines: string;
}

export const MEN: Record<string, Man> = {
  pawn: {
    body: `M-8.5 12C-7.5 6-4.5 4-3.8-1H3.8C4.5 4 7.5 6 8.5 12ZM0-13.5A6 6 0 1 1 0-1.5A6 6 0 1 1 0-13.5Z${BASE}`,
    lines: 'M-5.5-1H5.5',
  },
  rook: {
    body: `M-11-16H-6V-12H-2.5V-16H2.5V-12H6V-16H11V-8L7.5-5L8.5 7L10 12H-10L-8.5 7L-7.5-5L-11-8Z${BASE}`,
    lines: 'M-11-8H11M-7.5-5H7.5M-8.5 7H8.5',
  },
  knight: {
    body: `M-9 12C-9 4-2-1-2.5-5.5L-8-2C-10-1-12.5-2.5-12-5L-10-8.5L-5.5-14L-5-18.5L-1-15.5C7-14.5 10.5-5 9.5 12Z${BASE}`,
    lines: 'M-5.2-10.2h.1M-10.2-4.6h.1M4.5-10C6.5-5 7 3 6 11',
  },
  bishop: {
    body: `M-7 12C-6.5 8-4.5 7-4 4H4C4.5 7 6.5 8 7 12ZM0-14.5C7-9 8.5-2.5 4.5 4H-4.5C-8.5-2.5-7-9 0-14.5ZM0-19A2.4 2.4 0 1 1 0-14.2A2.4 2.4 0 1 1 0-19Z${BASE}`,
    lines: 'M-5 4H5M0-9.5V-2M-3.5-6H3.5',
  },
  queen: {
    body: `M-9.5 12L-14-7.5L-7 0L-6.5-13L0-1.5L6.5-13L7 0L14-7.5L9.5 12ZM-14-11.5A2.2 2.2 0 1 1-14-7.1A2.2 2.2 0 1 1-14-11.5ZM14-11.5A2.2 2.2 0 1 1 14-7.1A2.2 2.2 0 1 1 14-11.5ZM-6.5-17.5A2.3 2.3 0 1 1-6.5-12.9A2.3 2.3 0 1 1-6.5-17.5ZM6.5-17.5A2.3 2.3 0 1 1 6.5-12.9A2.3 2.3 0 1 1 6.5-17.5Z${BASE}`,
    lines: 'M-10.3 7.5C-4 5.5 4 5.5 10.3 7.5',
  },
  king: {
    body: `M-1.6-20H1.6V-17H4.6V-14H1.6V-10.5C4-9 4.2-6.5 2.6-4.2C8-8.5 14-6 13.5 0C13 5 10 8 9.5 12H-9.5C-10 8-13 5-13.5 0C-14-6-8-8.5-2.6-4.2C-4.2-6.5-4-9-1.6-10.5V-14H-4.6V-17H-1.6Z${BASE}`,
    lines: 'M0-3V7M-10 7.5C-4 5.5 4 5.5 10 7.5M-2.6-4.2C-1-2.8-.5-2 0-1C.5-2 1-2.8 2.6-4.2',
  },
};

const FIGURES = '♔♕♖♗♘♙♚♛♜♝♞♟';
const KINDS = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'];

/** The man of a figure, and whether it is a light one. */
export function manOf(figure: string): { kind: string; light: boolean } | null {
  const at = FIGURES.indexOf(figure[0]);
  return at < 0 ? null : { kind: KINDS[at % 6], light: at < 6 };
}
