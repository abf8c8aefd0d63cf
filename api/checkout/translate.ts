import type { Environment, Network, Pair } from '../../shared/domain/networks.ts'
import { Html, html } from '../../shared/runtime/html.ts'
import { DIRECTIONS, type Language, type Phrase, TEXTS } from './languages.ts'

/** Names of the networks as payers' wallets show them, in every language. */
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

export function networkName(network: Network): string {
  return NETWORK_NAMES[network]
}

type Values = Readonly<Record<string, string | number | Html>>

/** Formats texts and values in one language. */
export type Translator = {
  readonly language: Language
  readonly direction: 'ltr' | 'rtl'
  /** Renders a text with its values filled in; `**` marks strong text. */
  readonly say: (phrase: Phrase, values?: Values) => Html
  /** Formats a text for a place that allows no markup. */
  readonly plain: (phrase: Phrase, values?: Readonly<Record<string, string | number>>) => string
  readonly network: (network: Network, environment: Environment) => string
  readonly pair: (pair: Pair, environment: Environment) => string
  /** Formats an exact decimal with every digit and at least two fractional digits. */
  readonly number: (exact: string) => string
  /** Formats an exact decimal of dollars with every digit and at least two fractional digits. */
  readonly dollars: (exact: string, currency: string) => string
  /** Renders a time in UTC, because the payer's time zone is unknown; the page's script converts it to local time. */
  readonly moment: (iso: string) => Html
  /** Renders a time like `moment`, but shorter: on the same day only the time of day. */
  readonly clock: (iso: string, now: Date) => Html
  /** Formats the time left in whole minutes, rounded down so that it never promises too much time. */
  readonly timeLeft: (iso: string, now: Date) => string
  /** Formats a duration, rounded up: up to 50 s in steps of 10 seconds, otherwise in whole minutes, hours or days. */
  readonly duration: (seconds: number) => string
}

export function createTranslator(language: Language): Translator {
  const known = WORDS.get(language) ?? buildWords(language)
  WORDS.set(language, known)
  return known
}

/** Cached per language, because number and time formats are slow to create. */
const WORDS = new Map<Language, Translator>()

function buildWords(language: Language): Translator {
  const texts = TEXTS[language]
  // Wallets show Latin digits everywhere, and payers compare the amount with their wallet.
  const locale = `${language}-u-nu-latn`
  const number = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 18 })
  const formatTime = (style: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...style, timeStyle: 'short', timeZone: 'UTC' })
  const [time, day, hour] = [
    formatTime({ dateStyle: 'long' }),
    formatTime({ dateStyle: 'medium', hourCycle: 'h23' }),
    formatTime({ hourCycle: 'h23' }),
  ]
  const count = (value: number, unit: string) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
  const plain: Translator['plain'] = (phrase, values = {}) =>
    texts[phrase].replaceAll('**', '').replace(VARIABLE, (_, name: string) => String(values[name] ?? ''))
  const network: Translator['network'] = (name, environment) =>
    environment === 'test' ? plain('network.test', { network: networkName(name) }) : networkName(name)
  return {
    language,
    direction: DIRECTIONS[language],
    say: (phrase, values = {}) => say(texts[phrase], values),
    plain,
    network,
    pair: ({ token, network: name }, environment) =>
      plain('pair', { token, network: network(name, environment) }),
    number: (exact) => number.format(exact as `${number}`),
    dollars: (exact, currency) => `${number.format(exact as `${number}`)} ${currency}`,
    moment: (iso) => html`<time datetime="${iso}">${time.format(new Date(iso))} UTC</time>`,
    clock: (iso, now) => {
      const isToday = iso.slice(0, 10) === now.toISOString().slice(0, 10)
      return html`<time datetime="${iso}" data-short>${(isToday ? hour : day).format(new Date(iso))} UTC</time>`
    },
    timeLeft: (iso, now) => {
      const left = Math.floor((Date.parse(iso) - now.getTime()) / 60_000)
      return left < 1 ? `< ${count(1, 'minute')}` : count(left, 'minute')
    },
    duration: (seconds) => {
      const [size, unit] = DURATIONS.find(([, , below]) => seconds <= below) ?? DAYS
      return count(
        unit === 'second' ? 10 * Math.max(1, Math.ceil(seconds / 10)) : Math.ceil(seconds / size),
        unit,
      )
    },
  }
}

/**
 * Units of durations: the seconds of one unit, the unit's name, and the longest duration in seconds that is formatted
 * in it.
 */
const DURATIONS = [
  [1, 'second', 50],
  [60, 'minute', 5400],
  [3600, 'hour', 172_800],
] as const

const DAYS = [86_400, 'day'] as const

const VARIABLE = /\{(\w+)\}/g

/**
 * Returns whether the text before a value is empty or ends a sentence, so that the value must begin with a capital
 * letter.
 */
function isSentenceStart(before: string): boolean {
  return before === '' || /[.?!] $/.test(before)
}

export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** Renders a text of `TEXTS`; each `**` starts or ends a strong part. */
function say(text: string, values: Values): Html {
  const parts = text.split('**').map((part, index, all) => {
    const split = part.split(VARIABLE)
    const before = (at: number) => `${at === 1 ? (all[index - 1] ?? '') : ''}${split[at - 1]}`
    const pieces = split.map((piece, at) => {
      if (at % 2 === 0) return html`${piece}`
      const value = values[piece]
      return html`${typeof value === 'string' && isSentenceStart(before(at)) ? capitalize(value) : value}`
    })
    return index % 2 === 0 ? html`${pieces}` : html`<strong>${pieces}</strong>`
  })
  return new Html(parts.map(({ text: written }) => written).join(''))
}
