import type { Network, Token } from '../../shared/domain/networks.ts'
import { type Html, html } from '../../shared/runtime/html.ts'

/** Two letters and a hue for each network, which do not imitate a vendor's logo. */
const BADGES: Readonly<Record<Network, readonly [letters: string, hue: number]>> = {
  base: ['Ba', 222],
  optimism: ['Op', 0],
  polygon: ['Po', 265],
  ethereum: ['Et', 240],
  arbitrum: ['Ar', 200],
  avalanche: ['Av', 350],
  bnb: ['Bn', 40],
  tron: ['Tr', 10],
  arc: ['Ac', 180],
}

const TOKEN_HUES: Readonly<Record<Token, number>> = { USDC: 214, USDT: 160 }

/**
 * Renders a coin with the badge of its network. The picture is decorative, because the text next to it names the pair.
 */
export function renderCoin({ token, network }: { readonly token: Token; readonly network: Network }): Html {
  const [letters, hue] = BADGES[network]
  return html`<svg class="coin" viewBox="0 0 44 44" aria-hidden="true"><circle cx="20" cy="20" r="19" fill="hsl(${TOKEN_HUES[token]} 52% 42%)"/><circle cx="20" cy="20" r="14.5"/><text x="20" y="26.5">$</text><rect x="25" y="25" width="18" height="18" rx="6" fill="hsl(${hue} 45% 32%)"/><text class="on" x="34" y="37.6">${letters}</text></svg>`
}
