import type { Environment, Network, Pair } from '../../shared/domain/networks.ts'
import { type Html, html } from '../html.ts'

/** What payers' wallets call the networks. */
const NETWORK_NAMES: Readonly<Record<Network, string>> = {
  base: 'Base',
  optimism: 'OP Mainnet (Optimism)',
  polygon: 'Polygon',
  ethereum: 'Ethereum',
  arbitrum: 'Arbitrum One',
  avalanche: 'Avalanche C-Chain',
  bnb: 'BNB Smart Chain',
  tron: 'TRON',
  arc: 'Arc',
}

/** Names a network as a payer's wallet does. */
export function networkName(network: Network, environment: Environment): string {
  return environment === 'test' ? `${NETWORK_NAMES[network]} test network` : NETWORK_NAMES[network]
}

/** Names a token and its network. */
export function pairName({ token, network }: Pair, environment: Environment): string {
  return `${token} on ${networkName(network, environment)}`
}

/** Writes an exact decimal of dollars with two fractional digits at least, every digit that there is, and in thousands. */
export function dollars(exact: string, currency: string): string {
  const [whole = '', fraction = ''] = exact.split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')} ${currency}`
}

/** Writes a moment in UTC, for a payer may be anywhere. */
export function moment(iso: string): Html {
  return html`<time datetime="${iso}">${MOMENT.format(new Date(iso))} UTC</time>`
}

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** Says how long it is until a moment, rounded down: never more time than there is. */
export function timeLeft(iso: string, now: Date): string {
  const minutes = Math.floor((Date.parse(iso) - now.getTime()) / 60_000)
  if (minutes < 1) return 'less than a minute'
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}
