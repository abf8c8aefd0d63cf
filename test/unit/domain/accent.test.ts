import { expect } from 'chai'
import { accentStyle, STYLE } from '../../../api/checkout/style.ts'
import { accentColorsOf, type Color, contrastOf, parseColor } from '../../../shared/domain/accent.ts'

const THEMES = ['light', 'dark'] as const

/** Of every hue and lightness: 4,913, among them black, white and grey. */
const COLORS = shades().flatMap((red) =>
  shades().flatMap((green) => shades().map((blue) => `#${red}${green}${blue}` as Color)),
)

describe('the colour of an organization', () => {
  it('can be read on every ground of the pages, and what stands on it, whatever it is', () => {
    const [light = '', dark = ''] = STYLE.split('@media (prefers-color-scheme: dark)')
    const groundsOf = (style: string) =>
      [...style.matchAll(/--(?:ground|card): (#[0-9a-f]{6})/g)].map(([, color]) => color as Color)
    const grounds = { light: groundsOf(light), dark: groundsOf(dark) }
    expect([grounds.light.length, grounds.dark.length]).to.deep.equal([2, 2])
    for (const color of COLORS) {
      for (const theme of THEMES) {
        const { accent, onAccent } = accentColorsOf(color)[theme]
        for (const ground of [...grounds[theme], onAccent])
          expect(contrastOf(accent, ground), `${color} in ${theme}`).to.be.at.least(4.5)
      }
    }
  })

  it('is drawn as it is where that can be read, and else as near to it as can be', () => {
    expect(accentColorsOf('#1f7a4d').light.accent).to.equal('#1f7a4d')
    expect(accentColorsOf('#8bbcff').dark.accent).to.equal('#8bbcff')
    for (const color of COLORS) {
      const { light, dark } = accentColorsOf(color)
      // A step of less would not do: two hundredths of the way are 0.3 to 1 at most.
      if (light.accent !== color) expect(contrastOf(light.accent, '#f3f5f8'), color).to.be.below(4.9)
      if (dark.accent !== color) expect(contrastOf(dark.accent, '#1a2029'), color).to.be.below(4.9)
    }
  })

  it('is told apart as WCAG tells', () => {
    expect(contrastOf('#000000', '#ffffff')).to.be.closeTo(21, 1e-9)
    expect(contrastOf('#777777', '#ffffff')).to.be.closeTo(4.48, 0.005)
    expect(contrastOf('#ffffff', '#767676')).to.be.closeTo(4.54, 0.005)
  })

  it('is six hex digits behind a #, and nothing else', () => {
    expect(parseColor('#1F7A4D')).to.equal('#1f7a4d')
    for (const text of ['1f7a4d', '#fff', 'red', '#1f7a4d;}', '#1f7a4dff', ''])
      expect(parseColor(text), text).to.equal(null)
  })

  it('is written as a style for both themes', () => {
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
