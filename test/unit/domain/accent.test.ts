import { expect } from 'chai'
import { accentStyle, STYLE } from '../../../api/checkout/style.ts'
import { type Color, deriveAccentColors, getContrast, parseColor } from '../../../shared/domain/accent.ts'

const THEMES = ['light', 'dark'] as const

/** 4,913 colours, including black, white and grey. */
const COLORS = shades().flatMap((red) =>
  shades().flatMap((green) => shades().map((blue) => `#${red}${green}${blue}` as Color)),
)

describe('the accent colour of an organization', () => {
  it('is readable on every page background, and text on it is readable, for any chosen colour', () => {
    const [screen = ''] = STYLE.split('@media print')
    const [light = '', dark = ''] = screen.split('@media (prefers-color-scheme:dark)')
    const groundsOf = (style: string) =>
      [...style.matchAll(/--(?:ground|card): ?(#[0-9a-f]{6})/g)].map(([, color]) => color as Color)
    const grounds = { light: groundsOf(light), dark: groundsOf(dark) }
    expect([grounds.light.length, grounds.dark.length]).to.deep.equal([2, 2])
    for (const color of COLORS) {
      for (const theme of THEMES) {
        const { accent, onAccent } = deriveAccentColors(color)[theme]
        for (const ground of [...grounds[theme], onAccent])
          expect(getContrast(accent, ground), `${color} in ${theme}`).to.be.at.least(4.5)
      }
    }
  })

  it('stays unchanged if it is readable, and otherwise becomes the nearest readable colour', () => {
    expect(deriveAccentColors('#1f7a4d').light.accent).to.equal('#1f7a4d')
    expect(deriveAccentColors('#8bbcff').dark.accent).to.equal('#8bbcff')
    for (const color of COLORS) {
      const { light, dark } = deriveAccentColors(color)
      // A colour moves toward black or white in 100 steps until its contrast is at least 4.5. Near 4.5, one step
      // changes the contrast by at most 0.2 (measured).
      if (light.accent !== color) expect(getContrast(light.accent, '#f3f5f8'), color).to.be.below(4.9)
      if (dark.accent !== color) expect(getContrast(dark.accent, '#1a2029'), color).to.be.below(4.9)
    }
  })

  it('is checked with the WCAG contrast ratio', () => {
    expect(getContrast('#000000', '#ffffff')).to.be.closeTo(21, 1e-9)
    expect(getContrast('#777777', '#ffffff')).to.be.closeTo(4.48, 0.005)
    expect(getContrast('#ffffff', '#767676')).to.be.closeTo(4.54, 0.005)
  })

  it('must be six hex digits after a #', () => {
    expect(parseColor('#1F7A4D')).to.equal('#1f7a4d')
    for (const text of ['1f7a4d', '#fff', 'red', '#1f7a4d;}', '#1f7a4dff', ''])
      expect(parseColor(text), text).to.equal(null)
  })

  it('is rendered as a style for both themes', () => {
    expect(accentStyle('#1f7a4d')).to.match(
      /^:root\{--accent:#1f7a4d;--on-accent:#ffffff\}@media \(prefers-color-scheme:dark\)\{:root\{--accent:#[0-9a-f]{6};--on-accent:#10141a\}\}$/,
    )
  })
})

function shades(): readonly string[] {
  return Array.from({ length: 17 }, (_, index) =>
    Math.min(255, index * 16)
      .toString(16)
      .padStart(2, '0'),
  )
}
