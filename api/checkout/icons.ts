import { Html } from '../../shared/runtime/html.ts'

/** Our own line drawings, on a grid of 24 by 24. */
const PATHS = {
  check: 'm5 12.5 4.5 4.5L19 7.5',
  clock: 'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0M12 7v5l3 2',
  down: 'm6 9 6 6 6-6',
  exchange: 'M4 10h16L12 4.5zM6 10.5V17M12 10.5V17M18 10.5V17M4 19.5h16',
  globe: 'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0M3 12h18M12 3c3 3.2 3 14.8 0 18M12 3c-3 3.2-3 14.8 0 18',
  info: 'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0M12 11v5.5M12 7.6v.1',
  mail: 'M5 5h14a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2M4 7l8 6 8-6',
  pause: 'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0M10 9v6M14 9v6',
  print:
    'M7 9V3.5h10V9M7 17.5H4.5A1.5 1.5 0 0 1 3 16v-5.5A1.5 1.5 0 0 1 4.5 9h15a1.5 1.5 0 0 1 1.5 1.5V16a1.5 1.5 0 0 1-1.5 1.5H17M7 14h10v6.5H7z',
  scan: 'M4 8.5v-3A1.5 1.5 0 0 1 5.5 4h3M15.5 4h3A1.5 1.5 0 0 1 20 5.5v3M20 15.5v3a1.5 1.5 0 0 1-1.5 1.5h-3M8.5 20h-3A1.5 1.5 0 0 1 4 18.500v-3M8 12h8',
  wallet:
    'M4 7.5h14.5A1.5 1.5 0 0 1 20 9v9a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 18zM4 7.5a2 2 0 0 1 1.6-2L15.5 4v3.500M16.2 13.5v.1',
  warn: 'M12 4 2.8 20h18.4zM12 10v4.5M12 17.500v.1',
} as const

export type Icon = keyof typeof PATHS

/** Renders a decorative drawing; the text next to it carries the information. */
export function renderIcon(name: Icon): Html {
  return new Html(`<svg class="i" viewBox="0 0 24 24" aria-hidden="true"><path d="${PATHS[name]}"/></svg>`)
}
