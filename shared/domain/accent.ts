/** Background colors of a payer's page and of the cards on it, by theme. */
export const BACKGROUNDS = {
  light: ['#f3f5f8', '#ffffff'],
  dark: ['#10141a', '#1a2029'],
} as const

/**
 * An organization's color in each theme: `accent` for links, lines and buttons, `onAccent` for the text on a button.
 */
export type AccentColors = Readonly<
  Record<'light' | 'dark', { readonly accent: Color; readonly onAccent: Color }>
>

/** `#` and six lowercase hex digits: red, green, blue. */
export type Color = `#${string}`

/** Minimum contrast of text and background (WCAG 2.2, 1.4.3, level AA). */
const MIN_CONTRAST = 4.5

/** Number of steps between a color and black or white. */
const STEPS = 100

/** Parses a color such as `#1F7A4D`. Returns `null` unless the text is a `#` and six hex digits. */
export function parseColor(text: string): Color | null {
  return /^#[0-9a-f]{6}$/i.test(text) ? (text.toLowerCase() as Color) : null
}

/**
 * Returns a readable form of a color for each theme. A color stays the same if its contrast to the backgrounds is at
 * least 4.5 to 1. Otherwise it is mixed with black in the light theme, or with white in the dark theme, until the
 * contrast suffices.
 */
export function deriveAccentColors(color: Color): AccentColors {
  const light = readable(color, { towards: '#000000', grounds: BACKGROUNDS.light })
  const dark = readable(color, { towards: '#ffffff', grounds: BACKGROUNDS.dark })
  // The text on a button has the color of a background, so its contrast to the button is also sufficient.
  return { light: { accent: light, onAccent: '#ffffff' }, dark: { accent: dark, onAccent: '#10141a' } }
}

/** Returns the contrast ratio of two colors, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function getContrast(one: Color, other: Color): number {
  const [low = 0, high = 0] = [getLuminance(one), getLuminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

function readable(color: Color, at: { readonly towards: Color; readonly grounds: readonly Color[] }): Color {
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mix(color, { with: at.towards, part: step / STEPS })
    if (at.grounds.every((ground) => getContrast(mixed, ground) >= MIN_CONTRAST)) return mixed
  }
  return at.towards
}

function mix(color: Color, { with: other, part }: { readonly with: Color; readonly part: number }): Color {
  const others = getChannels(other)
  const mixed = getChannels(color).map((channel, index) =>
    Math.round(channel + ((others[index] ?? 0) - channel) * part),
  )
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function getLuminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = getChannels(color).map((channel) => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function getChannels(color: Color): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}
