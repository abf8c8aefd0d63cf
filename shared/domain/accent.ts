/** The colours of a page behind what is written on it, by theme: the page's and its card's. */
export const GROUNDS = {
  light: ['#f3f5f8', '#ffffff'],
  dark: ['#10141a', '#1a2029'],
} as const

/** How an organization's colour is drawn in each theme: links and lines in `accent`, buttons with `onAccent` on it. */
export type AccentColors = Readonly<
  Record<'light' | 'dark', { readonly accent: Color; readonly onAccent: Color }>
>

/** `#` and six lowercase hex digits: red, green, blue. */
export type Color = `#${string}`

/** Of text and its ground (WCAG 2.2, 1.4.3, level AA). */
const MIN_CONTRAST = 4.5

/** A colour is moved by a hundredth of the way at a time. */
const STEPS = 100

/** Reads `#1F7A4D`; `null` for whatever is not six hex digits behind a `#`. */
export function parseColor(text: string): Color | null {
  return /^#[0-9a-f]{6}$/i.test(text) ? (text.toLowerCase() as Color) : null
}

/**
 * Answers how a colour is drawn so that everybody can read it: as it is where its contrast to the grounds and to what
 * stands on it is 4.5 to 1 at least, else the nearest one that has it on the way to black, in the dark theme to white.
 */
export function accentColorsOf(color: Color): AccentColors {
  const light = readable(color, { towards: '#000000', grounds: GROUNDS.light })
  const dark = readable(color, { towards: '#ffffff', grounds: GROUNDS.dark })
  // What is written on it is one of the grounds, from which it differs enough.
  return { light: { accent: light, onAccent: '#ffffff' }, dark: { accent: dark, onAccent: '#10141a' } }
}

/** Answers how much two colours differ in lightness, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastOf(one: Color, other: Color): number {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

function readable(color: Color, at: { readonly towards: Color; readonly grounds: readonly Color[] }): Color {
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mix(color, { with: at.towards, part: step / STEPS })
    if (at.grounds.every((ground) => contrastOf(mixed, ground) >= MIN_CONTRAST)) return mixed
  }
  return at.towards
}

function mix(color: Color, { with: other, part }: { readonly with: Color; readonly part: number }): Color {
  const others = channelsOf(other)
  const mixed = channelsOf(color).map((channel, index) =>
    Math.round(channel + ((others[index] ?? 0) - channel) * part),
  )
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** Relative luminance, from 0 to 1. See https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminanceOf(color: Color): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Each from 0 to 255. */
function channelsOf(color: Color): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}
