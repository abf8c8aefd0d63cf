import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { chooseLanguage, DIRECTIONS, LANGUAGES, TEXTS } from '../../../api/checkout/languages.ts'
import { createTranslator } from '../../../api/checkout/translate.ts'
import { buildCheckout, buildPageSchema } from '../../support/checkout.ts'
import { ours } from '../gates/plant.ts'

const CODES = Object.keys(TEXTS) as (keyof typeof TEXTS)[]
const OTHERS = CODES.filter((code) => code !== 'en')
const placesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort()

describe('the languages of the checkout', () => {
  it('are ten, each with a file, a name and a direction', () => {
    const files = readdirSync(ours('api/checkout/languages')).map((name) => name.replace('.json', ''))
    expect(files).to.have.members(CODES).and.have.length(10)
    expect(Object.keys(LANGUAGES)).to.deep.equal(CODES)
    expect(Object.keys(DIRECTIONS)).to.deep.equal(CODES)
  })

  for (const code of OTHERS) {
    it(`include a translation of every English text in ${code}, with the same placeholders and bold parts`, () => {
      expect(Object.keys(TEXTS[code])).to.deep.equal(Object.keys(TEXTS.en))
      for (const [phrase, english] of Object.entries(TEXTS.en)) {
        const text = TEXTS[code][phrase as keyof typeof TEXTS.en]
        expect(placesOf(text), phrase).to.deep.equal(placesOf(english))
        expect(text.split('**').length, phrase).to.equal(english.split('**').length)
        expect(text.trim(), phrase).to.equal(text).and.not.equal('')
      }
    })
  }

  it('contain at most two texts that equal the English text, such as words that are spelled the same', () => {
    for (const code of OTHERS) {
      const same = Object.entries(TEXTS.en).filter(
        ([phrase, text]) => text === TEXTS[code][phrase as keyof typeof TEXTS.en],
      )
      expect(
        same.map(([phrase]) => phrase),
        code,
      ).to.have.length.below(3)
    }
  })

  it('do not contain a text that no page uses', () => {
    const sources = readdirSync(ours('api/checkout'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(ours(`api/checkout/${name}`), 'utf8'))
      .join()
    // Keys that the sources compose, and keys of the script.
    const composed =
      /^(title\.(seen|deciding|unavailable|paid|underpaid|expired|late)|way\..*|paid\.(released|refunded)|script\..*)$/
    const unused = Object.keys(TEXTS.en).filter(
      (phrase) => !sources.includes(`'${phrase}'`) && !composed.test(phrase),
    )
    expect(unused).to.deep.equal([])
  })

  it('are chosen by the page’s URL, then by the browser’s languages, and default to English', () => {
    const of = (lang: string | null, accept: string) => chooseLanguage({ lang, accept })
    expect(of('ar', 'de')).to.equal('ar')
    expect(of('xx', 'de')).to.equal('de')
    expect(of(null, 'fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5')).to.equal('fr')
    expect(of(null, 'nl, en;q=0.3, pt-BR;q=0.8')).to.equal('pt')
    expect(of(null, 'es;q=0, ja;q=0.1')).to.equal('ja')
    expect(of(null, '')).to.equal('en')
    expect(of('constructor', '__proto__, toString')).to.equal('en')
  })

  it('render a page in its language and direction and keep the language in every link', () => {
    const page = buildPageSchema(buildCheckout(), 'token=USDC&network=base&lang=ar')
    expect(page).to.contain('<html lang="ar" dir="rtl">').and.to.contain('USDC على Base')
    expect(page).to.contain('href="?token=USDC&amp;network=bnb&amp;lang=ar"')
    expect(buildPageSchema(buildCheckout(), 'lang=de')).to.contain('<b>10,00</b> USD</h1>')
  })

  it('format amounts with every digit, and only with the digits 0 to 9, as wallets do', () => {
    for (const code of CODES) {
      const digits = createTranslator(code)
        .dollars('1234567.000000000000000001', 'USD')
        .replace(/[^0-9]/g, '')
      expect(digits, code).to.equal('1234567000000000000000001')
    }
  })
})
