import type { Address, Hex } from '../../domain/address.ts'
import { formatTronAddress } from '../../domain/chain-families/tron/address.ts'
import type { ReferenceBlock } from '../../domain/chain-families/tron/raw-transaction.ts'
import { type TronNode, TronNodeError, type TronResponse } from './tron-node.ts'

export type TronHead = ReferenceBlock & { readonly timestampMs: number }

/** Reads the newest block, which a fork may revert. */
export async function readTronHead(node: TronNode): Promise<TronHead> {
  return parseHead(node, await node.ask('wallet/getblock', { detail: false }))
}

/** Reads a solidified block, by default the newest. 19 of 27 producers have built on it, so it cannot be reverted. */
export async function readSolidifiedHead(node: TronNode, number?: number): Promise<TronHead> {
  const which = number === undefined ? {} : { id_or_num: String(number) }
  const head = parseHead(node, await node.ask('walletsolidity/getblock', { ...which, detail: false }))
  if (number === undefined || head.number === number) return head
  throw new TronNodeError(node, `did not return block ${number}`)
}

/**
 * Lists the ids of a solidified block's transactions.
 *
 * @throws {TronNodeError} if the node has not solidified the block
 */
export async function listSolidifiedTransactions(node: TronNode, number: number): Promise<readonly Hex[]> {
  const block = await node.askLong('walletsolidity/getblock', { id_or_num: String(number), detail: true })
  if (parseHead(node, block).number !== number)
    throw new TronNodeError(node, `did not return block ${number}`)
  // An empty block has no field `transactions`.
  const { transactions = [] } = block
  if (!Array.isArray(transactions)) throw new TronNodeError(node, 'returned a block without transactions')
  return transactions.map((one) => `0x${String(getObject(one)['txID']).toLowerCase()}` as const)
}

function parseHead(node: TronNode, answer: TronResponse): TronHead {
  const { blockID: id, block_header: header } = answer
  const { number, timestamp } = getObject(getObject(header)['raw_data'])
  const isHead = typeof id === 'string' && /^[0-9a-f]{64}$/.test(id) && isCount(number) && isCount(timestamp)
  if (!isHead || Number.parseInt(id.slice(0, 16), 16) !== number)
    throw new TronNodeError(node, 'returned no block')
  return { id: `0x${id}`, number, timestampMs: timestamp }
}

export type TronOutcome = { readonly blockNumber: number; readonly isSuccess: boolean }

/** Reads the outcome of a transaction; returns `null` if no solidified block contains it. */
export async function readSolidifiedOutcome(node: TronNode, txId: Hex): Promise<TronOutcome | null> {
  return parseOutcome(
    node,
    txId,
    await node.askLong('walletsolidity/gettransactioninfobyid', { value: txId.slice(2) }),
  )
}

/** Reads the outcome of a transaction; returns `null` if no block contains it. A fork may revert the outcome. */
export async function readNewestOutcome(node: TronNode, txId: Hex): Promise<TronOutcome | null> {
  return parseOutcome(node, txId, await node.ask('wallet/gettransactioninfobyid', { value: txId.slice(2) }))
}

/** Parses the outcome in a node's response; returns `null` if the response is empty. */
export function parseOutcome(node: TronNode, txId: Hex, answer: TronResponse): TronOutcome | null {
  if (Object.keys(answer).length === 0) return null
  const { id, blockNumber } = answer
  if (id !== txId.slice(2) || !isCount(blockNumber))
    throw new TronNodeError(node, 'returned data of another transaction')
  return { blockNumber, isSuccess: isSuccess(answer) }
}

/** Returns whether a node's response shows a successful call. */
export function isSuccess({ receipt, result }: TronResponse): boolean {
  // `receipt.result` has many failure values, so only SUCCESS counts. `SUCESS` is java-tron's spelling.
  return getObject(receipt)['result'] === 'SUCCESS' && (result ?? 'SUCESS') === 'SUCESS'
}

/** Reads the price of a unit of energy, in sun. */
export async function readEnergyPrice(node: TronNode): Promise<bigint> {
  const { chainParameter } = await node.ask('wallet/getchainparameters', {})
  const parameters = Array.isArray(chainParameter) ? chainParameter.map(getObject) : []
  const price = parameters.find(({ key }) => key === 'getEnergyFee')?.['value']
  if (!isCount(price) || price === 0) throw new TronNodeError(node, 'returned no price of energy')
  return BigInt(price)
}

/** The resources with which an account can pay fees. */
export type TronFunds = {
  readonly balanceSun: bigint
  /** Unused energy of the account's quota, from its own stake or rented. */
  readonly energy: bigint
  /** Unused bytes of one quota, staked or free: the larger number, because one quota must cover a whole transaction. */
  readonly bandwidth: bigint
}

/** Reads the funds of an account. They are zero for an account that never received anything. */
export async function readTronFunds(node: TronNode, account: Address): Promise<TronFunds> {
  const query = { address: formatTronAddress(account), visible: true }
  const [{ balance = 0 }, resources] = await Promise.all([
    node.ask('wallet/getaccount', query),
    node.ask('wallet/getaccountresource', query),
  ])
  const getLeft = (quota: string) => getQuotaLeft(node, resources, quota)
  if (!isCount(balance)) throw new TronNodeError(node, 'returned no balance')
  const bandwidth = Math.max(getLeft('Net'), getLeft('freeNet'))
  return { balanceSun: BigInt(balance), energy: BigInt(getLeft('Energy')), bandwidth: BigInt(bandwidth) }
}

/** Returns the unused part of a quota. Responses omit fields that are zero. */
function getQuotaLeft(node: TronNode, resources: TronResponse, quota: string): number {
  const { [`${quota}Limit`]: limit = 0, [`${quota}Used`]: used = 0 } = resources
  if (!isCount(limit) || !isCount(used)) throw new TronNodeError(node, `returned no ${quota}Limit`)
  return Math.max(0, limit - used)
}

/** Returns a value as an object whose fields can be read; an empty object for a missing value. */
export function getObject(value: unknown): TronResponse {
  return Object(value) as TronResponse
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
