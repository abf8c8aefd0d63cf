import { isIP } from 'node:net'
import { parseEvmAddress } from '../domain/address.ts'
import { MAX_DISTRIBUTION_INCENTIVE, TOTAL_ALLOCATION } from '../domain/allocation.ts'
import { parseTronAddress } from '../domain/chain-families/tron/address.ts'
import { NETWORKS, type Network } from '../domain/networks.ts'
import {
  FEE_FRACTION_DIGITS,
  formatPercent,
  HUNDRED_PERCENT,
  parsePercent,
  percent,
} from '../domain/percent.ts'
import { SWAP_PROVIDERS } from '../domain/swap/swap-providers.ts'
import type { AllowedTarget } from '../domain/webhook-target.ts'

type Format = { readonly validate: (text: string) => boolean; readonly expected: string }

/** Maximum incentive that the split contract accepts. With a higher one, no charge could be created. */
const MAX_INCENTIVE_PERCENT = percent(
  (HUNDRED_PERCENT * BigInt(MAX_DISTRIBUTION_INCENTIVE)) / BigInt(TOTAL_ALLOCATION),
)

/** Formats of text settings. `expected` completes the sentence "must be …". */
export const SETTING_FORMATS = {
  'postgres-url': {
    validate: (text) => hasProtocol(text, ['postgres:', 'postgresql:']),
    expected: 'a URL such as postgres://user:password@host:5432/database',
  },
  'web-url': {
    validate: (text) => hasProtocol(text, ['http:', 'https:']),
    expected: 'a URL that starts with https:// or http://',
  },
  origins: {
    validate: (text) => text === '' || text.split(',').every(isWebOrigin),
    expected: 'origins such as https://shop.example.com, separated by commas',
  },
  networks: {
    validate: (text) => parseNetworks(text) !== null,
    expected: `names of networks, separated by commas: ${NETWORKS.join(', ')}`,
  },
  'swap-provider': {
    validate: (text) => Object.hasOwn(SWAP_PROVIDERS, text),
    expected: `the name of a swap provider: ${Object.keys(SWAP_PROVIDERS).join(', ')}`,
  },
  'header-value': {
    validate: (text) => /^[\x21-\x7e]{1,500}$/.test(text),
    expected: 'at most 500 printable characters without spaces',
  },
  'fee-percent': {
    validate: isFeePercent,
    expected: `a percent from 0 to below 50 with at most ${FEE_FRACTION_DIGITS} fractional digits`,
  },
  'incentive-percent': {
    validate: isIncentivePercent,
    expected: `a percent from 0 to ${formatPercent(MAX_INCENTIVE_PERCENT)}, the maximum of the split contract, with at most ${FEE_FRACTION_DIGITS} fractional digits`,
  },
  'evm-address': {
    validate: (text) => parseEvmAddress(text) !== null && !/^0x0{40}$/.test(text),
    expected:
      'an address of 0x and 40 hex digits, not zero, all lowercase, all uppercase or with a correct checksum',
  },
  'tron-address': {
    validate: (text) => parseTronAddress(text) !== null,
    expected: 'a TRON address such as T… with a correct checksum',
  },
  'private-key': {
    validate: isPrivateKey,
    expected: 'a secp256k1 private key of 0x and 64 hex digits',
  },
  'seal-key': {
    validate: (text) => /^[A-Za-z0-9+/]{43}=$/.test(text),
    expected: 'an X25519 key of 32 bytes in base64 (44 characters)',
  },
  'seal-keys': {
    validate: (text) => parseSealKeys(text) !== null,
    expected: 'one or two X25519 keys of 32 bytes in base64 (44 characters), separated by a comma',
  },
  'cursor-secrets': {
    validate: (text) => text.split(',').length <= 5 && text.split(',').every(({ length }) => length >= 32),
    expected: 'one to five secrets of at least 32 characters each, without a comma, separated by commas',
  },
  delays: {
    validate: (text) => parseDelays(text) !== null,
    expected: 'durations such as 0s,30s,2m,1h: not decreasing, at most 20, each at most 24h',
  },
  dollars: {
    validate: (text) => /^\d{1,6}(\.\d{1,6})?$/.test(text),
    expected: 'an amount of dollars such as 1 or 0.5 with at most 6 fractional digits',
  },
  'allowed-targets': {
    validate: (text) => parseAllowedTargets(text) !== null,
    expected: 'address ranges such as 10.0.0.0/8,127.0.0.0/8+http',
  },
  'dns-servers': {
    validate: (text) => parseDnsServers(text).every(isServer),
    expected: 'addresses of DNS servers such as 10.0.0.53,127.0.0.1:5353,[fd00::53]:53',
  },
} as const satisfies Record<string, Format>

/** Parses `0s,30s,2m,1h` to seconds; returns `null` for text that the format `delays` rejects. */
export function parseDelays(text: string): readonly number[] | null {
  const seconds = text.split(',').map(parseDuration)
  const isGood = (value: number, index: number): boolean =>
    value <= 86_400 && value >= (seconds[index - 1] ?? 0) && index < 20
  return seconds.every(isGood) ? seconds : null
}

/** Parses `base,arbitrum`; returns `null` if a name is unknown or repeated. The empty text yields an empty list. */
export function parseNetworks(text: string): readonly Network[] | null {
  const names = text.split(',').filter((name) => name !== '')
  const networks = NETWORKS.filter((network) => names.includes(network))
  return networks.length === names.length ? networks : null
}

/** Parses `10.0.0.0/8,127.0.0.0/8+http`; returns `null` if an entry is not a CIDR range with an optional `+http`. */
export function parseAllowedTargets(text: string): readonly AllowedTarget[] | null {
  const entries = text.split(',').filter((entry) => entry !== '')
  const targets = entries.map((entry) => ({
    cidr: entry.replace(/\+http$/, ''),
    allowsHttp: entry.endsWith('+http'),
  }))
  return targets.every(({ cidr }) => isCidr(cidr)) ? targets : null
}

/** Splits the list of DNS servers without validating them. The empty text yields an empty list. */
export function parseDnsServers(text: string): readonly string[] {
  return text.split(',').filter((entry) => entry !== '')
}

/** Parses one or two keys, newest first; returns `null` if the text is malformed. */
export function parseSealKeys(text: string): readonly Buffer[] | null {
  const keys = text.split(',')
  const isGood = keys.length <= 2 && keys.every((key) => SETTING_FORMATS['seal-key'].validate(key))
  return isGood ? keys.map((key) => Buffer.from(key, 'base64')) : null
}

/** Returns NaN for malformed text, because every comparison with NaN is false. */
function parseDuration(text: string): number {
  const [, digits, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? []
  const unitSeconds = unit === 'h' ? 3600 : unit === 'm' ? 60 : 1
  return digits === undefined ? Number.NaN : Number(digits) * unitSeconds
}

function isCidr(text: string): boolean {
  const [, address, prefix] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  const version = isIP(address ?? '')
  return version !== 0 && Number(prefix) <= (version === 4 ? 32 : 128)
}

function isServer(text: string): boolean {
  const [, bracketed, plain, port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  return isIP(bracketed ?? plain ?? text) !== 0 && Number(port) <= 65_535
}

/** Returns whether a text is an origin as browsers report it. Plain http is allowed only for localhost. */
function isWebOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { origin, protocol, hostname } = new URL(text)
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost'))
}

function hasProtocol(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol)
}

/** A fee must be below 50 %, so that the fee and the escrow surcharge together are below 100 %. */
function isFeePercent(text: string): boolean {
  const percent = parsePercent(text, { maxFractionDigits: FEE_FRACTION_DIGITS })
  return percent !== null && percent < HUNDRED_PERCENT / 2n
}

function isIncentivePercent(text: string): boolean {
  const incentive = parsePercent(text, { maxFractionDigits: FEE_FRACTION_DIGITS })
  return incentive !== null && incentive <= MAX_INCENTIVE_PERCENT
}

/** @see https://www.secg.org/sec2-v2.pdf section 2.4.1: a key must be below the order n of the curve */
function isPrivateKey(text: string): boolean {
  const order = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n
  return /^0x[0-9a-fA-F]{64}$/.test(text) && BigInt(text) > 0n && BigInt(text) < order
}
