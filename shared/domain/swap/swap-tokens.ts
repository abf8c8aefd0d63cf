import { parseEvmAddress } from '../address.ts'
import { invariant } from '../errors.ts'
import type { Network, SwapToken, SwapTokenFacts } from '../networks.ts'

/**
 * Tokens that can be swapped into a charge's tokens, per network. The table contains only contracts that at
 * least two independent lists name.
 *
 * Source, unless a line states otherwise: npm @uniswap/default-token-list 22.21.0, confirmed by one or more of
 * @bgd-labs/aave-address-book 4.44.22, @across-protocol/constants 3.1.127, @eth-optimism/tokenlist 10.0.1757 and
 * @bitgo/statics 59.16.0, read in November 2026. CBETH on optimism, arbitrum and polygon is omitted because it is
 * thinly traded.
 */
export const SWAP_TOKEN_FACTS: Record<Network, Partial<Record<SwapToken, SwapTokenFacts>>> = {
  base: {
    ETH: native(),
    // cbBTC. Source: Uniswap, Aave.
    BTC: erc20('0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', 8),
    // Source: docs.chain.link, CCIP directory, and ten public repositories.
    LINK: erc20('0x88Fb150BDc53A65fe94Dea0c9BA0a6dAf8C6e196', 18),
    CBETH: erc20('0x2Ae3F1Ec7F1F5012CFEab0185bfc7aa3cf0DEc22', 18),
  },
  optimism: {
    ETH: native(),
    // WBTC.
    BTC: erc20('0x68f180fcCe6836688e9084f035309E29Bf0A2095', 8),
    LINK: erc20('0x350a791Bfc2C21F9Ed5d10980Dad2e2638ffa7f6', 18),
    OP: erc20('0x4200000000000000000000000000000000000042', 18),
  },
  polygon: {
    ETH: erc20('0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619', 18),
    POL: native(),
    // WBTC.
    BTC: erc20('0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6', 8),
    // The bridge's ERC-20; Chainlink's ERC-677 is 0xb0897686c545045aFc77CF20eC7A532E3120E0F1.
    LINK: erc20('0x53E0bca35eC356BD5ddDFebbD1Fc0fD03FaBad39', 18),
  },
  ethereum: {
    ETH: native(),
    POL: erc20('0x455e53CBB86018Ac2B8092FdCd39d8444aFFC3F6', 18),
    // WBTC.
    BTC: erc20('0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', 8),
    LINK: erc20('0x514910771AF9Ca656af840dff83E8264EcF986CA', 18),
    ARB: erc20('0xB50721BCf8d664c30412Cfbc6cf7a15145234ad1', 18),
    CBETH: erc20('0xBe9895146f7AF43049ca1c1AE358B0541Ea49704', 18),
  },
  arbitrum: {
    ETH: native(),
    // WBTC.
    BTC: erc20('0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f', 8),
    LINK: erc20('0xf97f4df75117a78c1A5a0DBb814Af92458539FB4', 18),
    ARB: erc20('0x912CE59144191C1204E64559FE8253a0e49E6548', 18),
  },
  avalanche: {
    // WETH.e.
    ETH: erc20('0x49D5c2BdFfac6CE2BFdB6640F4F80f226bc10bAB', 18),
    AVAX: native(),
    // BTC.b. Source: Aave, BitGo.
    BTC: erc20('0x152b9d0FdC40C096757F570A51E494bd4b943E50', 8),
    // LINK.e.
    LINK: erc20('0x5947BB275c521040051D82396192181b413227A3', 18),
  },
  bnb: {
    // A Binance-Peg token, like BTCB and LINK below.
    ETH: erc20('0x2170Ed0880ac9A755fd29B2688956BD959F933F8', 18),
    BNB: native(),
    // BTCB, with 18 decimals. Source: Aave, Across, BitGo.
    BTC: erc20('0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c', 18),
    LINK: erc20('0xF8A0BF9cF54Bb92F17374d9e9A321E6a111a51bD', 18),
  },
  tron: {},
  arc: {},
}

/** Swap providers identify the native coin by this address. Source: 0x, "Swap API", sellToken. */
function native(): SwapTokenFacts {
  return { ...erc20('0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', 18), isNative: true }
}

function erc20(text: string, decimals: number): SwapTokenFacts {
  const address = parseEvmAddress(text)
  invariant(address !== null, `${text} is not an address`)
  return { address, decimals, isNative: false }
}
