import { keccak256, numberToHex, parseTransaction, recoverTransactionAddress, toHex } from 'viem'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { answerCall, codeAt, effectOf, type ModelToken } from './calls.ts'
import { type Block, blockAt, blocksFrom, type ModelChain, type ModelLog, type Receipt } from './chain.ts'
import { presentBlock, presentLog, presentReceipt, presentTransaction } from './present.ts'
import { copyState, Reverted } from './state.ts'

/** How a node fails those who ask it. */
export type NodeMode =
  | 'well'
  /** Takes a request and says nothing. */
  | 'silent'
  | 'failing'
  /** Answers a few requests a second, and refuses the others. */
  | 'limited'
  /** Serves another chain: higher, and with nothing on it that is ours. */
  | 'foreign'
  /** Leaves out logs and receipts that it has. */
  | 'omitting'
  /** Leaves out what half of the transactions did, and shows others of the same blocks. */
  | 'partial'
  /** Leaves out some of the logs of a transaction, as its receipt does. */
  | 'gappy'
  /** Stays at the block where it is. */
  | 'stuck'
  /** Lags behind by some blocks. */
  | 'behind'

/** One node of a chain, with what it has of it. */
export type ModelNode = {
  readonly url: string
  readonly chain: ModelChain
  readonly tokens: readonly ModelToken[]
  head: Block
  mode: NodeMode
  /** How much it was asked in the last second in which it was. */
  answered: { readonly second: number; readonly count: number }
}

type Params = readonly unknown[]
type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: Hex } }

/** Requests a second that a node with a limit answers. */
const LIMIT = 3

type Shower = Pick<ModelNode, 'mode' | 'url'>

/** What a node shows of a transaction's logs; of two that show some, what one leaves out the other has. */
export function shownLogs(node: Shower, { transaction: { hash }, logs }: Receipt): readonly ModelLog[] {
  if (isLeftOut(node, hash)) return []
  return node.mode === 'gappy' ? logs.filter((_, at) => !isOthers(node, hash, at)) : logs
}

/** Whether a node leaves out that there was such a transaction. */
function isLeftOut(node: Shower, hash: Hex): boolean {
  return node.mode === 'partial' ? isOthers(node, hash, 0) : node.mode === 'omitting'
}

/** By a digit of the hash: without end, for a transaction may log more than that has digits. */
function isOthers({ url }: Shower, hash: Hex, at: number): boolean {
  const isOdd = Number.parseInt(hash.at(-1 - (at % 64)) ?? '', 16) % 2 === 1
  return isOdd === url.includes('node-0')
}

/** Answers a request as this node does now; `null` is no answer. */
export async function answerRequest(
  node: ModelNode,
  { method, params }: { readonly method: string; readonly params: Params },
  nowMs: number,
): Promise<Answer | null> {
  if (node.mode === 'silent') return null
  if (node.mode === 'failing') return refuse(-32_603, 'internal error')
  if (node.mode === 'limited' && isAboveLimit(node, nowMs)) return refuse(-32_005, 'rate limit exceeded')
  try {
    return { result: await (node.mode === 'foreign' ? answerForeign : answer)(node, method, params) }
  } catch (error) {
    if (error instanceof Reverted)
      return { error: { code: 3, message: 'execution reverted', data: error.data } }
    if (error instanceof Refused) return refuse(-32_000, error.message)
    throw error
  }
}

function isAboveLimit(node: ModelNode, nowMs: number): boolean {
  const second = Math.floor(nowMs / 1000)
  node.answered = { second, count: node.answered.second === second ? node.answered.count + 1 : 1 }
  return node.answered.count > LIMIT
}

class Refused extends Error {}

function refuse(code: number, message: string): Answer {
  return { error: { code, message } }
}

const FOREIGN_CHAIN_ID = '0x539'
/** So much higher is the other chain. */
const FOREIGN_BLOCKS = 1_000_000

/** As a node of another chain, on which nobody has ever paid us. */
async function answerForeign(node: ModelNode, method: string, params: Params): Promise<unknown> {
  switch (method) {
    case 'eth_chainId':
      return FOREIGN_CHAIN_ID
    case 'eth_blockNumber':
      return numberToHex(node.head.number + FOREIGN_BLOCKS)
    case 'eth_getBlockByNumber':
      return { ...presentBlock(node.head), ...foreignBlock(node.head, params[0]) }
    case 'eth_getLogs':
      return []
    case 'eth_getTransactionReceipt':
    case 'eth_getTransactionByHash':
      return null
    case 'eth_getTransactionCount':
      return '0x0'
    case 'eth_sendRawTransaction':
      throw new Refused('invalid chain id for signer')
    default:
      return answer({ ...node, head: genesisOf(node.head) }, method, params.slice(0, 1))
  }
}

function foreignBlock(head: Block, place: unknown) {
  const number = typeof place === 'string' && place.startsWith('0x') ? place : head.number + FOREIGN_BLOCKS
  const hashOf = (of: number) => keccak256(toHex(`foreign ${of}`))
  const at = Number(number)
  return { number: numberToHex(at), hash: hashOf(at), parentHash: hashOf(at - 1) }
}

function genesisOf(head: Block): Block {
  return blockAt(head, 0) ?? head
}

async function answer(node: ModelNode, method: string, params: Params): Promise<unknown> {
  const [first, second] = params
  const { head, tokens } = node
  switch (method) {
    case 'eth_chainId':
      return numberToHex(node.chain.chainId)
    case 'eth_blockNumber':
      return numberToHex(head.number)
    case 'eth_getBlockByNumber':
      return presentBlock(blockOf(head, first))
    case 'eth_getLogs':
      return logsOf(node, first as Filter)
    case 'eth_getTransactionReceipt':
      return receiptOf(node, first as Hex)
    case 'eth_getTransactionByHash':
      return node.chain.isKnown(first as Hex) ? presentTransaction(first as Hex) : null
    case 'eth_getTransactionCount':
      return numberToHex(stateOf(head, second).nonces.get(lower(first)) ?? 0)
    case 'eth_getBalance':
      return numberToHex(10n ** 20n)
    case 'eth_getCode':
      return codeAt(lower(first))
    case 'eth_call':
      return answerCall(stateOf(head, second), tokens, callOf(first))
    case 'eth_estimateGas':
      return estimate(head, first)
    case 'eth_maxPriorityFeePerGas':
      return numberToHex(1_000_000n)
    case 'eth_gasPrice':
      return numberToHex(101_000_000n)
    case 'eth_sendRawTransaction':
      return send(node, first as Hex)
    default:
      throw new Error(`the simulated node knows no ${method}`)
  }
}

function estimate(head: Block, call: unknown): Hex {
  effectOf(callOf(call))(copyState(head.state))
  return numberToHex(200_000n)
}

/** A block's number, or a name for the last one. */
function blockOf(head: Block, place: unknown): Block | null {
  return typeof place === 'string' && place.startsWith('0x') ? blockAt(head, Number(place)) : head
}

function stateOf(head: Block, place: unknown) {
  const block = blockOf(head, place)
  if (block === null) throw new Refused('header not found')
  return block.state
}

function callOf(call: unknown): { readonly to: Address; readonly data: Hex } {
  const { to, data } = call as { to?: string; data?: Hex }
  return { to: lower(to), data: data ?? '0x' }
}

type Filter = {
  readonly fromBlock: Hex
  readonly toBlock: Hex
  readonly address?: Hex | readonly Hex[]
  readonly topics?: readonly (Hex | readonly Hex[] | null)[]
}

function logsOf(node: ModelNode, { fromBlock, toBlock, address, topics = [] }: Filter): readonly object[] {
  if (Number(toBlock) > node.head.number) return []
  const addresses = address === undefined ? null : [address].flat().map(lower)
  return blocksFrom(node.head, Number(fromBlock))
    .filter(({ number }) => number <= Number(toBlock))
    .flatMap((block) =>
      block.receipts.flatMap((receipt) =>
        shownLogs(node, receipt)
          .filter((log) => addresses === null || addresses.includes(log.address))
          .filter((log) => topics.every((wanted, at) => isWanted(log.topics[at], wanted)))
          .map((log) => presentLog(log, { block, hash: receipt.transaction.hash })),
      ),
    )
}

function isWanted(topic: Hex | undefined, wanted: Hex | readonly Hex[] | null): boolean {
  return wanted === null || [wanted].flat().some((one) => one === topic)
}

function receiptOf(node: ModelNode, hash: Hex): object | null {
  if (isLeftOut(node, hash)) return null
  for (let block: Block | null = node.head; block !== null; block = block.parent) {
    const receipt = block.receipts.find(({ transaction }) => transaction.hash === hash)
    if (receipt !== undefined) return presentReceipt({ ...receipt, logs: shownLogs(node, receipt) }, block)
  }
  return null
}

async function send({ chain, head }: ModelNode, raw: Hex): Promise<Hex> {
  const hash = keccak256(raw)
  if (chain.pool().some((other) => other.hash === hash)) throw new Refused('already known')
  const { to, data = '0x', nonce = 0 } = parseTransaction(raw as `0x02${string}`)
  const from = lower(await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` }))
  if (nonce < (head.state.nonces.get(from) ?? 0)) throw new Refused('nonce too low')
  chain.send({ hash, from, nonce, run: effectOf({ to: lower(to), data }) })
  return hash
}

function lower(address: unknown): Address {
  return String(address).toLowerCase() as Address
}
