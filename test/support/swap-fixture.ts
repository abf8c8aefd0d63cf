import { type Address, encodeFunctionResult, parseAbi } from 'viem'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { SwapMarket } from '../devnet/swap/market.ts'
import { type SwapProviderServer, startSwapProvider } from '../devnet/swap/swap-provider.ts'
import { startTestApi, type TestApi } from './api.ts'
import { type Answer, call } from './call-route.ts'
import { nodesAt } from './nodes-at.ts'
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts'

/** The API with a swap provider that implements 0x's protocol, and a node that serves only 0x's registry. */
export type SwapFixture = {
  readonly api: TestApi
  readonly key: string
  readonly provider: SwapProviderServer
  readonly node: RpcProxy
  /** Sets the Settler contracts that 0x's registry returns from now on. With `null`, the call reverts. */
  readonly register: (settlers: { current: Address | null; previous: Address | null }) => void
  /** Creates a live charge of 10 dollars. */
  readonly createCharge: (change?: object) => Promise<Answer['body']>
  /** Requests a quote; by default for a new charge, from the fixture's own API process. */
  readonly quote: (ask?: QuoteAsk) => Promise<Answer>
  readonly close: () => Promise<void>
}

type QuoteAsk = {
  readonly id?: string
  readonly inputToken?: string
  readonly inputNetwork?: string
  readonly at?: Pick<TestApi, 'baseUrl' | 'routes'>
}

export const SETTLER: Address = '0x5e771e5000000000000000000000000000000001'
export const TAKER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const API_KEY = 'a-key-of-the-swap-provider'
export const USDC_BASE = { token: 'USDC', network: 'base' }
export const USDT_BASE = { token: 'USDT', network: 'base' }
export const USDT_BNB = { token: 'USDT', network: 'bnb' }

const MARKETS: readonly SwapMarket[] = [
  {
    ...{ chainId: 8453, network: 'base', settler: SETTLER },
    outputs: [
      { address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', decimals: 6 },
      { address: '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2', decimals: 6 },
    ],
  },
  {
    ...{ chainId: 56, network: 'bnb', settler: SETTLER },
    outputs: [{ address: '0x55d398326f99059ff775485246999027b3197955', decimals: 18 }],
  },
]

const REGISTRY_ABI = parseAbi(['function ownerOf(uint256) view returns (address)'])

/** Starts the swap provider, the node and the API; `env` adds settings of the API. */
export async function createSwapFixture(env: Readonly<Record<string, string>> = {}): Promise<SwapFixture> {
  const provider = await startSwapProvider(MARKETS)
  // The rule below responds to every call, so the proxy needs no node.
  const node = await startRpcProxy('http://127.0.0.1:9')
  let settlers: { current: Address | null; previous: Address | null } = { current: SETTLER, previous: null }
  node.rule((method, params) => {
    if (method === 'eth_chainId') return { result: '0x2105' }
    const { data = '' } = (params[0] ?? {}) as { data?: string }
    return answerOf(data.startsWith('0x6352211e') ? settlers.current : settlers.previous)
  })
  const swap = { SWAP_PROVIDER: '0x', SWAP_API_KEY: API_KEY, SWAP_BASE_URL: provider.url }
  const api = await startTestApi({ ...swap, ...env }, (config) => onNode(config, node.url))
  const { key } = await api.issueKey()
  const createCharge = async (change: object = {}) => {
    const body = { amount: 10, expiresIn: 600, acceptedPayments: [USDC_BASE], ...change }
    return (await call(api, 'POST /v1/charges', { key, body })).body
  }
  return {
    ...{ api, key, provider, node, createCharge },
    register: (wanted) => {
      settlers = wanted
    },
    quote: async ({ id, inputToken = 'ETH', inputNetwork = 'base', at = api } = {}) => {
      const chargeId = id ?? (await createCharge()).id
      const body = { inputToken, inputNetwork, takerAddress: TAKER }
      return call(at, `POST /v1/charges/${chargeId}/quote`, { key, body })
    },
    close: async () => {
      await api.stop()
      await provider.stop()
      await node.stop()
    },
  }
}

function answerOf(address: Address | null) {
  if (address === null) return { error: { code: 3, message: 'execution reverted', data: '0x' } }
  return { result: encodeFunctionResult({ abi: REGISTRY_ABI, functionName: 'ownerOf', result: address }) }
}

function onNode(config: ApiConfig, url: string): ApiConfig {
  const deployments = config.deployments.map((one) =>
    one.network === 'base' && one.environment === 'live' ? { ...one, ...nodesAt([url]) } : one,
  )
  return { ...config, deployments }
}
