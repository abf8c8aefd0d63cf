import type { Address, Hex } from '../../domain/address.ts'
import { formatTronAddress } from '../../domain/families/tron/address.ts'
import type { ReferenceBlock } from '../../domain/families/tron/raw-transaction.ts'
import { type TronAnswer, type TronNode, TronNodeError } from './tron-node.ts'

/** A block's head. */
export type TronHead = ReferenceBlock & { readonly timestampMs: number }

/** Reads the newest block, which a fork may take back. */
export async function readTronHead(node: TronNode): Promise<TronHead> {
  return headOf(node, await node.ask('wallet/getblock', { detail: false }))
}

/** Reads the newest solid block, or this one: 19 of 27 producers have built on it, and nothing takes it back. */
export async function readSolidHead(node: TronNode, number?: number): Promise<TronHead> {
  const which = number === undefined ? {} : { id_or_num: String(number) }
  const head = headOf(node, await node.ask('walletsolidity/getblock', { ...which, detail: false }))
  if (number === undefined || head.number === number) return head
  throw new TronNodeError(node, `answered another block than ${number}`)
}

/**
 * Lists the ids of a solid block's transactions.
 *
 * @throws {TronNodeError} if the block is not solid at the node
 */
export async function listSolidTransactions(node: TronNode, number: number): Promise<readonly Hex[]> {
  const block = await node.askLong('walletsolidity/getblock', { id_or_num: String(number), detail: true })
  if (headOf(node, block).number !== number)
    throw new TronNodeError(node, `answered another block than ${number}`)
  // An empty block has no such field.
  const { transactions = [] } = block
  if (!Array.isArray(transactions)) throw new TronNodeError(node, 'answered a block without transactions')
  return transactions.map((one) => `0x${String(fieldsOf(one)['txID']).toLowerCase()}` as const)
}

function headOf(node: TronNode, answer: TronAnswer): TronHead {
  const { blockID: id, block_header: header } = answer
  const { number, timestamp } = fieldsOf(fieldsOf(header)['raw_data'])
  const isHead = typeof id === 'string' && /^[0-9a-f]{64}$/.test(id) && isCount(number) && isCount(timestamp)
  if (!isHead || Number.parseInt(id.slice(0, 16), 16) !== number)
    throw new TronNodeError(node, 'answered no block')
  return { id: `0x${id}`, number, timestampMs: timestamp }
}

/** What became of a transaction in a block. */
export type TronOutcome = { readonly blockNumber: number; readonly isSuccess: boolean }

/** Reads what became of a transaction; `null` if no solid block has it. */
export async function readSolidOutcome(node: TronNode, txId: Hex): Promise<TronOutcome | null> {
  return outcomeOf(
    node,
    txId,
    await node.askLong('walletsolidity/gettransactioninfobyid', { value: txId.slice(2) }),
  )
}

/** Reads what became of a transaction; `null` if no block has it. A fork may take back what it answers. */
export async function readNewestOutcome(node: TronNode, txId: Hex): Promise<TronOutcome | null> {
  return outcomeOf(node, txId, await node.ask('wallet/gettransactioninfobyid', { value: txId.slice(2) }))
}

/** Reads what a node says of a transaction; `null` if it has none. */
export function outcomeOf(node: TronNode, txId: Hex, answer: TronAnswer): TronOutcome | null {
  if (Object.keys(answer).length === 0) return null
  const { id, blockNumber } = answer
  if (id !== txId.slice(2) || !isCount(blockNumber))
    throw new TronNodeError(node, 'answered of another transaction')
  return { blockNumber, isSuccess: isSuccess(answer) }
}

/** Tells whether what a node says of a transaction is that it went well. */
export function isSuccess({ receipt, result }: TronAnswer): boolean {
  // Of a call there is a result; only what says SUCCESS was one, for there are many ways to fail.
  return fieldsOf(receipt)['result'] === 'SUCCESS' && (result ?? 'SUCESS') === 'SUCESS'
}

/** Reads the price of a unit of energy, in sun. */
export async function readEnergyPrice(node: TronNode): Promise<bigint> {
  const { chainParameter } = await node.ask('wallet/getchainparameters', {})
  const parameters = Array.isArray(chainParameter) ? chainParameter.map(fieldsOf) : []
  const price = parameters.find(({ key }) => key === 'getEnergyFee')?.['value']
  if (!isCount(price) || price === 0) throw new TronNodeError(node, 'names no price of energy')
  return BigInt(price)
}

/** What an account can pay with. */
export type TronFunds = {
  readonly balanceSun: bigint
  /** Left of what its stake, or a renter’s, gives it for a day. */
  readonly energy: bigint
  /** Bytes left in the larger of its two quotas, the staked and the free one; a transaction is covered by one of them. */
  readonly bandwidth: bigint
}

/** Reads what an account can pay with; one that nobody has ever sent anything has nothing. */
export async function readTronFunds(node: TronNode, account: Address): Promise<TronFunds> {
  const query = { address: formatTronAddress(account), visible: true }
  const [{ balance = 0 }, resources] = await Promise.all([
    node.ask('wallet/getaccount', query),
    node.ask('wallet/getaccountresource', query),
  ])
  const leftOf = (quota: string) => leftOfQuota(node, resources, quota)
  if (!isCount(balance)) throw new TronNodeError(node, 'answered no balance')
  const bandwidth = Math.max(leftOf('Net'), leftOf('freeNet'))
  return { balanceSun: BigInt(balance), energy: BigInt(leftOf('Energy')), bandwidth: BigInt(bandwidth) }
}

/** Fields that are zero are left out of a response. */
function leftOfQuota(node: TronNode, resources: TronAnswer, quota: string): number {
  const { [`${quota}Limit`]: limit = 0, [`${quota}Used`]: used = 0 } = resources
  if (!isCount(limit) || !isCount(used)) throw new TronNodeError(node, `answered no ${quota}Limit`)
  return Math.max(0, limit - used)
}

/** A field that is an object; without fields if it is none. */
export function fieldsOf(value: unknown): TronAnswer {
  return Object(value) as TronAnswer
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
