import { decodeFunctionData, erc20Abi, type Hex, keccak256 } from 'viem'
import type { ExitChain } from '../../api/client/exit/exit-chain.ts'
import type { ExitCharge } from '../../api/client/exit/exit-charge.ts'
import { listKnownChains } from '../../api/client/exit/known-chains.ts'
import { paymentSplitAbi } from '../../shared/chain/abi/payment-split.ts'
import { createChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { createChainClient } from '../../shared/chain/nodes/client.ts'
import { addressOfByte } from './checked-charges.ts'
import { startRpcServer } from './rpc-server.ts'

const CHAIN_ID = 8453

const TOKEN = { symbol: 'USDC', address: addressOfByte('cc'), decimals: 6 }

/** A fake node of base, and the data that it reports. A test can change the data at any time. */
export type ExitNode = {
  readonly url: string
  readonly stop: () => void
  /** Balances of USDC, by the address of the split. */
  readonly balances: Map<string, bigint>
  /** Shares held in splits, by the address of the recipient. Every split reports the same shares. */
  readonly held: Map<string, bigint>
  /** Signed transactions that were sent to the node. */
  readonly sent: Hex[]
  /** Called after each sent transaction. The node reports every transaction as successful. */
  onSent: () => void
  fundsWei: bigint
}

/** Starts a fake node of base without Multicall3. No call reverts. */
export async function startExitNode(): Promise<ExitNode> {
  const state: Omit<ExitNode, 'url' | 'stop'> = {
    ...{ balances: new Map(), held: new Map(), sent: [], onSent: () => undefined, fundsWei: 10n ** 18n },
  }
  const server = await startRpcServer((method, params) => respond(state, method, params))
  return Object.assign(state, server)
}

/** Connects nodes as `svc exit` does. */
export function connectExitNodes(nodes: readonly ExitNode[]): ExitChain {
  const known = listKnownChains(undefined).find(({ chainId }) => chainId === CHAIN_ID)
  if (known === undefined) throw new Error('base is not a known chain')
  const rpcUrls = nodes.map(({ url }) => url)
  const voters = rpcUrls.map((url, index) => ({ url, name: `node ${index}`, operator: `node ${index}` }))
  return {
    ...{ ...known, tokens: [TOKEN], hasCoin: false, rpcUrls, factory: null, contracts: 'match' },
    client: createChainClient({ chainId: CHAIN_ID, rpcUrls }),
    nodes: createChainNodes({ chainId: CHAIN_ID, quorum: Math.floor(nodes.length / 2) + 1, nodes: voters }),
  }
}

/** Sets the split's balance on this node to zero. */
export function empty({ balances }: ExitNode, { splitAddress }: ExitCharge): void {
  balances.set(splitAddress, 0n)
}

type State = Omit<ExitNode, 'url' | 'stop'>

function respond(state: State, method: string, params: readonly unknown[]): unknown {
  const [first] = params
  if (method === 'eth_call') return call(state, first as { readonly to: string; readonly data: Hex })
  if (method === 'eth_sendRawTransaction') {
    state.sent.push(first as Hex)
    state.onSent()
    return keccak256(first as Hex)
  }
  const results: Readonly<Record<string, unknown>> = {
    eth_chainId: `0x${CHAIN_ID.toString(16)}`,
    eth_getCode: '0x',
    eth_getBalance: `0x${state.fundsWei.toString(16)}`,
    eth_getTransactionCount: '0x0',
    eth_estimateGas: '0x186a0',
    eth_maxPriorityFeePerGas: '0x1',
    eth_gasPrice: '0x3b9aca00',
    eth_getBlockByNumber: {
      ...{ number: '0x1', baseFeePerGas: '0x3b9aca00', gasLimit: '0x1', gasUsed: '0x0', transactions: [] },
    },
    eth_getTransactionReceipt: {
      ...{ transactionHash: first, transactionIndex: '0x0', blockNumber: '0x1', blockHash: first },
      ...{ status: '0x1', type: '0x2', logs: [], logsBloom: `0x${'0'.repeat(512)}`, contractAddress: null },
      ...{ from: addressOfByte('aa'), to: addressOfByte('bb'), gasUsed: '0x1', cumulativeGasUsed: '0x1' },
      effectiveGasPrice: '0x1',
    },
  }
  return results[method] ?? null
}

function call({ balances, held }: State, { to, data }: { readonly to: string; readonly data: Hex }): Hex {
  const [split = '', account = ''] = [to, decodeAccount(data)].map((one) => one.toLowerCase())
  if (split === TOKEN.address) return toWord(balances.get(account) ?? 0n)
  // Only a deployed split returns a number. Here all splits are deployed if any share is held, otherwise none is.
  if (held.size === 0) return '0x'
  const sum = [...held.values()].reduce((total, one) => total + one, 0n)
  return toWord(account === '' ? sum : (held.get(account) ?? 0n))
}

/** Returns the account argument of a call to `balanceOf` or `held`, or an empty string for other calls. */
function decodeAccount(data: Hex): string {
  try {
    const { functionName, args } = decodeFunctionData({ abi: [...erc20Abi, ...paymentSplitAbi], data })
    if (functionName === 'balanceOf') return args[0]
    return functionName === 'held' ? args[1] : ''
  } catch {
    return ''
  }
}

function toWord(amount: bigint): Hex {
  return `0x${amount.toString(16).padStart(64, '0')}`
}
