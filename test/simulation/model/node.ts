import { keccak256, numberToHex, parseTransaction, recoverTransactionAddress, toHex } from 'viem'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { ARC_USDC, FUNDS } from './arc.ts'
import { estimateGas } from './authorizations.ts'
import { hashBlock } from './block-id.ts'
import { answerCall, codeAt, MULTICALL3, simulateEffect } from './calls.ts'
import { type Block, blockAt } from './chain.ts'
import { coinsOf } from './coins.ts'
import type { ModelNode } from './model-node.ts'
import { presentBlock, presentTransaction } from './present.ts'
import { readSafeSlot } from './safe.ts'
import { type Filter, findReceiptOf, isLeftOut, listLogs, shownHead, tells } from './shown.ts'
import { copyState, Reverted, type State } from './state.ts'
import { answerTron, OVERLOADED, solidOf } from './tron-node.ts'

type Params = readonly unknown[]
type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: Hex } }

/** Requests per second to which a limited node responds. */
const LIMIT = 3

/** A JSON-RPC request, or a request to a path of a TRON node's HTTP API, with its body as `params[0]`. */
type Request = { readonly method: string; readonly params: Params; readonly path?: string | null }

/** Returns the body of the node's response; `null` if the node does not respond. */
export async function answerRequest(
  node: ModelNode,
  { method, params, path = null }: Request,
  nowMs: number,
): Promise<object | null> {
  if (node.mode === 'silent') return null
  if (node.chain.isTron && node.mode === 'limited' && isAboveLimit(node, nowMs)) return OVERLOADED
  if (path !== null) return answerTron(node, path, params[0] as Readonly<Record<string, unknown>>)
  return { jsonrpc: '2.0', id: 1, ...(await answerRpc(node, { method, params }, nowMs)) }
}

async function answerRpc(node: ModelNode, { method, params }: Request, nowMs: number): Promise<Answer> {
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
/** Number of blocks by which the other chain is higher. */
const FOREIGN_BLOCKS = 1_000_000

/** Responds like a node of another chain, on which no charge was ever paid. */
async function answerForeign(node: ModelNode, method: string, params: Params): Promise<unknown> {
  switch (method) {
    case 'eth_chainId':
      return FOREIGN_CHAIN_ID
    case 'eth_blockNumber':
      return numberToHex(node.head.number + FOREIGN_BLOCKS)
    case 'eth_getBlockByNumber':
      return { ...presentBlock(node.head, []), ...foreignBlock(node.head, params[0]) }
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
      return answer({ ...node, head: genesisOf(node.head), lie: null }, method, params.slice(0, 1))
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
  const head = shownHead(node)
  switch (method) {
    case 'eth_chainId':
      return numberToHex(node.chain.chainId)
    case 'eth_blockNumber':
      return numberToHex(claimedOf(node, head).number)
    case 'eth_getBlockByNumber':
      if (first === 'finalized' && node.chain.isTron) return showBlock(node, solidOf(node, head))
      return showBlock(node, isLast(first) ? claimedOf(node, head) : blockOf(head, first))
    case 'eth_getLogs':
      return listLogs(node, first as Filter)
    case 'eth_getTransactionReceipt':
      return findReceiptOf(node, first as Hex)
    case 'eth_getTransactionByHash':
      return node.chain.isKnown(first as Hex) ? presentTransaction(first as Hex) : null
    case 'eth_getTransactionCount':
      return numberToHex(stateOf(head, second).nonces.get(lower(first)) ?? 0)
    case 'eth_getBalance':
      return numberToHex(balanceAt(node, stateOf(head, second), lower(first)))
    case 'eth_getCode':
      return codeAt(stateOf(head, second), lower(first))
    case 'eth_getStorageAt':
      return readSafeSlot(stateOf(head, params[2]), lower(first), second as Hex)
    case 'eth_call':
      requireReadable(node, second)
      requireHonestCall(node, callOf(first))
      return answerCall(stateOf(head, second), { ...node, ...timeOf(head, second) }, callOf(first))
    case 'eth_estimateGas':
      requireHonestCall(node, callOf(first))
      return estimate(node, head, first)
    case 'eth_maxPriorityFeePerGas':
      return numberToHex(1_000_000n)
    case 'eth_gasPrice':
      return numberToHex(101_000_000n)
    case 'eth_sendRawTransaction':
      return send(node, first as Hex)
    default:
      throw new Error(`the simulated node does not support ${method}`)
  }
}

/**
 * Number of blocks by which the claimed head is above the real head. The node has no blocks in between. The lie changes
 * only responses about the head.
 */
const CLAIMED_BLOCKS = 1_000_000

function claimedOf(node: ModelNode, head: Block): Block {
  if (!tells(node, 'claims height')) return head
  const timestamp = head.timestamp + CLAIMED_BLOCKS
  const number = head.number + CLAIMED_BLOCKS
  const hash = hashBlock(`claimed ${head.hash}`, { number, isTron: node.chain.isTron })
  return { ...head, number, hash, timestamp, receipts: [] }
}

/** @throws {Refused} for a call at a block number of TRON, whose nodes have only the state of the newest block */
function requireReadable({ chain }: ModelNode, place: unknown): void {
  if (chain.isTron && !isLast(place)) throw new Refused('QUANTITY not supported, just support TAG as latest')
}

/** @throws {Reverted} if the node lies by reverting calls, except for calls to tokens and to Multicall3 */
function requireHonestCall(node: ModelNode, { to }: { readonly to: Address }): void {
  const isRead = to === MULTICALL3 || node.tokens.some(({ address }) => address === to)
  if (!isRead && tells(node, 'reverts calls')) throw new Reverted('0x')
}

/** Returns an account's balance of the chain's coin. Except on Arc, every account has enough coins. */
function balanceAt({ tokens }: ModelNode, state: State, account: Address): bigint {
  return tokens.some(({ address }) => address === ARC_USDC) ? coinsOf(state, account) : FUNDS
}

function showBlock(node: ModelNode, block: Block | null): object | null {
  const hashes = block?.receipts.map(({ transaction }) => transaction.hash) ?? []
  return presentBlock(
    block,
    hashes.filter((hash) => !isLeftOut(node, hash)),
  )
}

function estimate({ chain }: ModelNode, head: Block, call: unknown): Hex {
  simulateEffect(callOf(call), chain)(copyState(head.state), head.timestamp)
  return numberToHex(estimateGas(callOf(call)))
}

/** Returns the head for a name such as `latest`, otherwise the block with this number. */
function blockOf(head: Block, place: unknown): Block | null {
  return isLast(place) ? head : blockAt(head, Number(place))
}

function isLast(place: unknown): boolean {
  return typeof place !== 'string' || !place.startsWith('0x')
}

function stateOf(head: Block, place: unknown) {
  const block = blockOf(head, place)
  if (block === null) throw new Refused('header not found')
  return block.state
}

function timeOf(head: Block, place: unknown): { readonly timestamp: number } {
  return { timestamp: blockOf(head, place)?.timestamp ?? head.timestamp }
}

function callOf(call: unknown): { readonly to: Address; readonly data: Hex; readonly from?: Address } {
  const { to, data, from } = call as { to?: string; data?: Hex; from?: string }
  return { to: lower(to), data: data ?? '0x', ...(from !== undefined && { from: lower(from) }) }
}

async function send({ chain, head }: ModelNode, raw: Hex): Promise<Hex> {
  const hash = keccak256(raw)
  if (chain.pool().some((other) => other.hash === hash)) throw new Refused('already known')
  const { to, data = '0x', nonce = 0 } = parseTransaction(raw as `0x02${string}`)
  const from = lower(await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` }))
  if (nonce < (head.state.nonces.get(from) ?? 0)) throw new Refused('nonce too low')
  chain.send({ hash, from, nonce, run: simulateEffect({ to: lower(to), data }, chain) })
  return hash
}

function lower(address: unknown): Address {
  return String(address).toLowerCase() as Address
}
