import type { Environment, Network, Pair } from '../../shared/domain/networks.ts'
import { Html, html } from '../html.ts'
import { DIRECTIONS, type Language, type Phrase, TEXTS } from './languages.ts'

/** What payers' wallets call the networks, in every language. */
const NETWORK_NAMES: Readonly<Record<Network, string>> = {
  base: 'Base',
  optimism: 'OP Mainnet (Optimism)',
  polygon: 'Polygon',
  ethereum: 'Ethereum',
  arbitrum: 'Arbitrum One',
  avalanche: 'Avalanche C-Chain',
  bnb: 'BNB Smart Chain',
  tron: 'TRON (TRC-20)',
  arc: 'Arc',
}

/** Names a network as a payer's wallet does. */
export function networkName(network: Network): string {
  return NETWORK_NAMES[network]
}

type Values = Readonly<Record<string, string | number | Html>>

/** How a page speaks in one language. */
export type Words = {
  readonly language: Language
  readonly direction: 'ltr' | 'rtl'
  /** Says a phrase, with what it leaves open; `**` is strong. */
  readonly say: (phrase: Phrase, values?: Values) => Html
  /** Says a phrase where no markup can stand. */
  readonly plain: (phrase: Phrase, values?: Readonly<Record<string, string | number>>) => string
  readonly network: (network: Network, environment: Environment) => string
  readonly pair: (pair: Pair, environment: Environment) => string
  /** Writes an exact decimal of dollars with two fractional digits at least, and every digit that there is. */
  readonly dollars: (exact: string, currency: string) => string
  /** Writes a moment in UTC, for a payer may be anywhere; the page's script makes it his own time. */
  readonly moment: (iso: string) => Html
  /** Says how long it is until a moment, in whole minutes rounded down: never more time than there is. */
  readonly timeLeft: (iso: string, now: Date) => string
}

/** Answers how pages speak in a language. */
export function wordsOf(language: Language): Words {
  const known = WORDS.get(language) ?? makeWords(language)
  WORDS.set(language, known)
  return known
}

/** Made once for each language: what formats numbers and times is slow to make. */
const WORDS = new Map<Language, Words>()

function makeWords(language: Language): Words {
  const texts = TEXTS[language]
  // Wallets show these digits everywhere, and an amount is compared with theirs.
  const locale = `${language}-u-nu-latn`
  const number = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 18 })
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  const minutes = new Intl.NumberFormat(locale, { style: 'unit', unit: 'minute', unitDisplay: 'long' })
  const plain: Words['plain'] = (phrase, values = {}) =>
    texts[phrase].replaceAll('**', '').replace(PLACE, (_, name: string) => String(values[name] ?? ''))
  const network: Words['network'] = (name, environment) =>
    environment === 'test' ? plain('network.test', { network: networkName(name) }) : networkName(name)
  return {
    language,
    direction: DIRECTIONS[language],
    say: (phrase, values = {}) => say(texts[phrase], values),
    plain,
    network,
    pair: ({ token, network: name }, environment) =>
      plain('pair', { token, network: network(name, environment) }),
    dollars: (exact, currency) => `${number.format(exact as `${number}`)} ${currency}`,
    moment: (iso) => html`<time datetime="${iso}">${time.format(new Date(iso))} UTC</time>`,
    timeLeft: (iso, now) => {
      const left = Math.floor((Date.parse(iso) - now.getTime()) / 60_000)
      return left < 1 ? `< ${minutes.format(1)}` : minutes.format(left)
    },
  }
}

const PLACE = /\{(\w+)\}/g

/** Writes a text of ours, each `**` of which begins or ends what is strong. */
function say(text: string, values: Values): Html {
  const parts = text.split('**').map((part, index) => {
    const pieces = part.split(PLACE).map((piece, at) => html`${at % 2 === 0 ? piece : values[piece]}`)
    return index % 2 === 0 ? html`${pieces}` : html`<strong>${pieces}</strong>`
  })
  return new Html(parts.map(({ text: written }) => written).join(''))
}
