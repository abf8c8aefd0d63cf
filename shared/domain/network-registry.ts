import { parseAddress } from './chain-families/chain-families.ts'
import { DATA_FEES } from './data-fees.ts'
import type { AuthorizationDomain } from './eip3009/authorization.ts'
import { invariant } from './errors.ts'
import { GAS_BOUNDS, PAYOUT_COSTS } from './gas-bounds.ts'
import {
  NETWORKS,
  type Network,
  type NetworkFacts,
  type RestrictionRead,
  type TokenFacts,
} from './networks.ts'
import { SWAP_TOKEN_FACTS } from './swap/swap-tokens.ts'

/**
 * Circle's FiatToken checks sender and receiver. Source: circlefin/stablecoin-evm@46e61d00,
 * contracts/v1/FiatTokenV1.sol.
 */
const CIRCLE: RestrictionRead = {
  function: 'isBlacklisted(address)',
  selector: '0xfe575a87',
  receive: true,
  send: true,
}

/** Tether's first token checks only the sender. Source: USDTLike.sol in sablier-labs/v2-core, a copy of the token. */
const TETHER: RestrictionRead = {
  function: 'isBlackListed(address)',
  selector: '0xe47d6060',
  receive: false,
  send: true,
}

/** Tether's later tokens and USDT0 check only the sender. Source: copies of WithBlockedList.sol on GitHub. */
const TETHER_V2: RestrictionRead = {
  function: 'isBlocked(address)',
  selector: '0xfbac3951',
  receive: false,
  send: true,
}

/**
 * EIP-712 domain of Circle's native USDC on networks that also had a bridged USDC. A unit test compares the resulting
 * `DOMAIN_SEPARATOR()` values with values that third parties recorded. Source: the token list of x402 2.27.0.
 */
const USD_COIN: AuthorizationDomain = { name: 'USD Coin', version: '2' }

/**
 * EIP-712 domain of native USDC on networks that never had a bridged USDC, and on testnets. Source: the same as for
 * `USD_COIN`, and Circle's quickstarts for Sepolia.
 */
const USDC: AuthorizationDomain = { name: 'USDC', version: '2' }

/**
 * EIP-712 domain of USDT0 on arbitrum. The T in the name is U+20AE, and the contract has no `version()`. Source: x402's
 * issues, read in November 2026.
 */
const USDT0: AuthorizationDomain = { name: 'USD₮0', version: '1' }

const ETHER = { symbol: 'ETH', decimals: 18 }
const TRX = { symbol: 'TRX', decimals: 6 }
/**
 * Arc's native coin is USDC: 18 decimals as the coin, 6 as an ERC-20 token, and one balance for both. Source:
 * docs.arc.io.
 */
const ARC_USDC = { symbol: 'USDC', decimals: 18 }

/**
 * The chains of every network. The facts were collected in November 2026, and none was read from a node. The
 * configuration can override or disable each token (decisions 2.2).
 *
 * Sources, unless a line states otherwise. Chain ids: viem 2.57.1, `viem/chains` (compared by a unit test).
 * Confirmations: developers.circle.com, "Circle Mint blockchain confirmations". Addresses of USDC and USDT: npm
 * @circle-fin/bridge-kit 1.15.1, confirmed by at least one of @uniswap/default-token-list 22.21.0,
 * @bgd-labs/aave-address-book 4.44.22 and @across-protocol/constants 3.1.127.
 *
 * Nodes: at least three operators per network except TRON, so that two still agree while one fails. The networks' own
 * nodes come from their documentation and from viem 2.57.1. ethereum-lists/chains or DefiLlama/chainlist lists
 * PublicNode (Allnodes), dRPC, thirdweb and Tenderly as usable without a key, unless a line states otherwise (looked up
 * on 2026-11-23). The development environment cannot reach any of these nodes; `npm run networks -- doctor` tests them.
 * dRPC forwards requests to nodes of several providers, which might include other operators of this list. All of these
 * nodes limit the request rate, so use your own nodes in production.
 */
const CHAINS: Readonly<Record<Network, Pick<NetworkFacts, 'family' | 'confirmations' | 'live' | 'test'>>> = {
  base: {
    family: 'evm',
    // Our own estimate, which trusts the sequencer after about 24 s. Circle waits for 12 blocks of Ethereum.
    confirmations: 12,
    live: {
      chainId: 8453,
      blockTimeMs: 2000,
      nativeCurrency: ETHER,
      rpcUrls: ['https://mainnet.base.org', 'https://base-rpc.publicnode.com', 'https://base.drpc.org'],
      explorer: 'https://basescan.org',
      tokens: {
        USDC: circleToken('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', USD_COIN),
        // From Base's standard bridge, not from Tether. Source: npm @eth-optimism/tokenlist 10.0.1757, Across,
        // Wormhole.
        USDT: token('0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2', { restriction: null, bridged: true }),
      },
    },
    test: {
      chainId: 84532,
      blockTimeMs: 2000,
      nativeCurrency: ETHER,
      rpcUrls: [
        'https://sepolia.base.org',
        'https://base-sepolia-rpc.publicnode.com',
        'https://base-sepolia.drpc.org',
      ],
      explorer: 'https://sepolia.basescan.org',
      tokens: {
        USDC: circleToken('0x036CbD53842c5426634e7929541eC2318f3dCF7e', USDC),
      },
    },
  },

  optimism: {
    family: 'evm',
    // The same estimate as for base.
    confirmations: 12,
    live: {
      chainId: 10,
      blockTimeMs: 2000,
      nativeCurrency: ETHER,
      rpcUrls: [
        'https://mainnet.optimism.io',
        'https://optimism-rpc.publicnode.com',
        'https://optimism.drpc.org',
      ],
      explorer: 'https://optimistic.etherscan.io',
      tokens: {
        USDC: circleToken('0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', USD_COIN),
        // From the standard bridge. The other candidate is USDT0, 0x01bFF41798a0BcF287b996046Ca68b395DbC1071. Source:
        // npm @eth-optimism/tokenlist 10.0.1757, Uniswap, Aave, Across, Wormhole.
        USDT: token('0x94b008aA00579c1307B0EF2c499aD98a8ce58e58', { restriction: null, bridged: true }),
      },
    },
    test: {
      chainId: 11155420,
      blockTimeMs: 2000,
      nativeCurrency: ETHER,
      rpcUrls: [
        'https://sepolia.optimism.io',
        'https://optimism-sepolia-rpc.publicnode.com',
        'https://optimism-sepolia.drpc.org',
      ],
      explorer: 'https://sepolia-optimism.etherscan.io',
      tokens: {
        USDC: circleToken('0x5fd84259d66Cd46123540766Be93DFE6D43130D7', USDC),
      },
    },
  },

  polygon: {
    family: 'evm',
    confirmations: 50,
    live: {
      chainId: 137,
      blockTimeMs: 2000,
      nativeCurrency: { symbol: 'POL', decimals: 18 },
      rpcUrls: [
        'https://polygon.drpc.org',
        'https://polygon-bor-rpc.publicnode.com',
        'https://polygon.gateway.tenderly.co',
      ],
      explorer: 'https://polygonscan.com',
      tokens: {
        USDC: circleToken('0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', USD_COIN),
        // Upgraded to USDT0 in place.
        USDT: token('0xc2132D05D31c914a87C6611C10748AEb04B58e8F', { restriction: TETHER_V2 }),
      },
    },
    test: null,
  },

  ethereum: {
    family: 'evm',
    confirmations: 12,
    live: {
      chainId: 1,
      blockTimeMs: 12000,
      nativeCurrency: ETHER,
      rpcUrls: [
        'https://ethereum-rpc.publicnode.com',
        'https://ethereum.reth.rs/rpc',
        'https://eth.drpc.org',
      ],
      explorer: 'https://etherscan.io',
      tokens: {
        USDC: circleToken('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', USD_COIN),
        USDT: token('0xdAC17F958D2ee523a2206206994597C13D831ec7', { restriction: TETHER }),
      },
    },
    test: {
      chainId: 11155111,
      blockTimeMs: 12000,
      nativeCurrency: ETHER,
      rpcUrls: [
        'https://ethereum-sepolia-rpc.publicnode.com',
        'https://11155111.rpc.thirdweb.com',
        'https://sepolia.drpc.org',
      ],
      explorer: 'https://sepolia.etherscan.io',
      tokens: {
        USDC: circleToken('0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', USDC),
      },
    },
  },

  arbitrum: {
    family: 'evm',
    // Source: developers.cryptopay.me. Kraken waits for 40 blocks; Circle's older table states 300.
    confirmations: 30,
    live: {
      chainId: 42161,
      blockTimeMs: 250,
      nativeCurrency: ETHER,
      rpcUrls: [
        'https://arb1.arbitrum.io/rpc',
        'https://arbitrum-one-rpc.publicnode.com',
        'https://arbitrum.drpc.org',
      ],
      explorer: 'https://arbiscan.io',
      tokens: {
        USDC: circleToken('0xaf88d065e77c8cC2239327C5EDb3A432268e5831', USD_COIN),
        // USDT0 since January 2025, at the same address.
        USDT: token('0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', {
          restriction: TETHER_V2,
          authorization: USDT0,
        }),
      },
    },
    test: null,
  },

  avalanche: {
    family: 'evm',
    confirmations: 1,
    live: {
      chainId: 43114,
      blockTimeMs: 1700,
      nativeCurrency: { symbol: 'AVAX', decimals: 18 },
      rpcUrls: [
        'https://api.avax.network/ext/bc/C/rpc',
        'https://avalanche-c-chain-rpc.publicnode.com',
        'https://avalanche.drpc.org',
      ],
      explorer: 'https://snowtrace.io',
      tokens: {
        USDC: circleToken('0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', USD_COIN),
        USDT: token('0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7', { restriction: TETHER_V2 }),
      },
    },
    test: null,
  },

  bnb: {
    family: 'evm',
    // Source: developers.cryptopay.me.
    confirmations: 15,
    live: {
      chainId: 56,
      blockTimeMs: 750,
      nativeCurrency: { symbol: 'BNB', decimals: 18 },
      // Excludes the network's own bsc-dataseed.bnbchain.org, which does not serve eth_getLogs. Source:
      // docs.bnbchain.org, "JSON-RPC Endpoint".
      rpcUrls: ['https://56.rpc.thirdweb.com', 'https://bsc-rpc.publicnode.com', 'https://bsc.drpc.org'],
      explorer: 'https://bscscan.com',
      tokens: {
        // USDC and USDT are Binance-Peg tokens without a restriction function. Source: Uniswap, Aave, Across, BitGo.
        USDC: token('0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', {
          decimals: 18,
          restriction: null,
          bridged: true,
        }),
        USDT: token('0x55d398326f99059fF775485246999027B3197955', {
          decimals: 18,
          restriction: null,
          bridged: true,
        }),
      },
    },
    test: null,
  },

  tron: {
    family: 'tron',
    // A block is solidified by 18 successors from distinct producers. Source: tronprotocol/documentation-en, dpos.md.
    confirmations: 19,
    live: {
      chainId: 728126428,
      blockTimeMs: 3000,
      nativeCurrency: TRX,
      // Only two operators: we found no third that serves /jsonrpc, /wallet and /walletsolidity below one path without
      // a key. Ankr and dRPC document only JSON-RPC for TRON. NOWNodes, Chainstack, GetBlock, Tatum and QuickNode
      // require a key. No source proves that api.tronstack.io is independent of TronGrid. Source for PublicNode:
      // cake_wallet, tron_node_list.yml.
      rpcUrls: ['https://api.trongrid.io/jsonrpc', 'https://tron-rpc.publicnode.com/jsonrpc'],
      explorer: 'https://tronscan.org',
      tokens: {
        // Circle stopped minting in February 2024 and ended support in February 2025.
        // Source: npm @bitgo/statics 59.16.0, trx:usdc; trustwallet/assets.
        USDC: token('TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', { restriction: CIRCLE, enabledByDefault: false }),
        // transfer() returns false on success. Source: npm @openzeppelin/tron-contracts 5.6.0, SafeTRC20.sol.
        USDT: token('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', { restriction: TETHER }),
      },
    },
    test: {
      // Nile. The chain id of the other testnet, Shasta, is 2494104990.
      chainId: 3448148188,
      blockTimeMs: 3000,
      nativeCurrency: TRX,
      // Only one operator, because api.nileex.io belongs to TRON as well. A deployment needs a node of another operator
      // or a quorum of 1.
      rpcUrls: ['https://nile.trongrid.io/jsonrpc'],
      explorer: 'https://nile.tronscan.org',
      tokens: {
        // Source: tronprotocol/documentation-en@8f3209ef, triggersmartcontract.md, its example contract.
        USDT: token('TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', { restriction: null }),
      },
    },
  },

  arc: {
    family: 'evm',
    // Deterministic finality, no reorganizations. Source: docs.arc.io, "Exchange deposits".
    confirmations: 1,
    live: {
      chainId: 5042,
      blockTimeMs: 500,
      nativeCurrency: ARC_USDC,
      // Circle's own node, and nodes of the providers that docs.arc.io, "RPC endpoints", and viem 2.57.1 list. Two
      // providers have hosts below Circle's domain, but run their own nodes.
      rpcUrls: [
        'https://rpc.mainnet.arc.io',
        'https://rpc.blockdaemon.mainnet.arc.io',
        'https://rpc.quicknode.mainnet.arc.io',
        'https://arc.drpc.org',
      ],
      operators: {
        'rpc.blockdaemon.mainnet.arc.io': 'blockdaemon.com',
        'rpc.quicknode.mainnet.arc.io': 'quicknode.com',
      },
      explorer: 'https://explorer.arc.io',
      tokens: { USDC: arcUsdc() },
    },
    test: {
      chainId: 5042002,
      blockTimeMs: 500,
      nativeCurrency: ARC_USDC,
      // The same sources as for live, and ethereum-lists/chains.
      rpcUrls: [
        'https://rpc.testnet.arc.io',
        'https://rpc.blockdaemon.testnet.arc.io',
        'https://arc-testnet.drpc.org',
      ],
      operators: { 'rpc.blockdaemon.testnet.arc.io': 'blockdaemon.com' },
      explorer: 'https://testnet.arcscan.app',
      tokens: { USDC: arcUsdc() },
    },
  },
}

/**
 * The facts of every network: its chains, its costs of gas, payouts and posting to L1, and its swap tokens. A new
 * network needs a row in each of these tables; CONTRIBUTING.md ("Add a network") lists all steps.
 */
export const REGISTRY = Object.fromEntries(
  NETWORKS.map((network): [Network, NetworkFacts] => [
    network,
    {
      ...CHAINS[network],
      gas: GAS_BOUNDS[network],
      payoutCost: PAYOUT_COSTS[network],
      dataFee: DATA_FEES[network],
      swapTokens: SWAP_TOKEN_FACTS[network],
    },
  ]),
) as Record<Network, NetworkFacts>

/**
 * Arc logs every transfer of USDC once as a Transfer event of a system address, with 18 decimals. If the transfer is an
 * ERC-20 call, the token logs it as well. Watching only the token would miss transfers of the native coin; watching
 * both would credit ERC-20 transfers twice. Source: circlefin/arc-node, crates/evm/src/log.rs.
 */
function arcUsdc(): TokenFacts {
  const systemEmitter = token('0xffffFFFfFFffffffffffffffFfFFFfffFFFfFFfE', { restriction: null }).address
  return {
    ...circleToken('0x3600000000000000000000000000000000000000', USDC),
    transferEmitter: { address: systemEmitter, decimals: 18 },
  }
}

function circleToken(text: string, authorization: AuthorizationDomain): TokenFacts {
  return token(text, { restriction: CIRCLE, authorization })
}

/** A mistyped address fails its checksum when the process starts. */
function token(
  text: string,
  facts: Pick<TokenFacts, 'restriction'> & Partial<Omit<TokenFacts, 'address'>>,
): TokenFacts {
  const address = parseAddress(text)
  invariant(address !== null, `${text} is not an address`)
  return { address, decimals: 6, enabledByDefault: true, authorization: null, ...facts }
}
