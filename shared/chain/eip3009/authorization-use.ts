import { encodeAbiParameters, numberToHex, pad, toEventSelector, toFunctionSelector } from 'viem'
import type { Address, Hex } from '../../domain/address.ts'
import type { ChainClient } from '../nodes/client.ts'
import { InvalidResponseError } from '../nodes/node-errors.ts'
import { findReceipt, readCanonicalReceipt } from '../nodes/receipts.ts'

/** The identity of an authorization. The token stores whether it was used, by payer and nonce. */
export type AuthorizationId = {
  readonly token: Address
  readonly payer: Address
  readonly nonce: Hex
}

/** The payment that an authorization permits. */
export type AuthorizedPayment = AuthorizationId & {
  readonly recipient: Address
  /** Amount in the token's atomic units. */
  readonly value: bigint
}

/** The transaction that used an authorization's nonce. */
export type AuthorizationUse = {
  readonly txHash: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  /** Whether the transaction made the signed payment. If not, it canceled the nonce or used it for another payment. */
  readonly isPayment: boolean
}

/** @see https://eips.ethereum.org/EIPS/eip-3009 */
const USED = toEventSelector('AuthorizationUsed(address,bytes32)')
const CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)')
const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const STATE = toFunctionSelector('authorizationState(address,bytes32)')

/**
 * Returns whether a token reports an authorization's nonce as used at a block, by default the newest block.
 *
 * @throws {BaseError} from viem if no node responds, the node lacks the block, or the token lacks the function
 */
export async function isNonceUsed(
  client: ChainClient,
  { token, payer, nonce }: AuthorizationId,
  blockNumber?: bigint,
): Promise<boolean> {
  const data: Hex = `${STATE}${pad(payer).slice(2)}${nonce.slice(2)}`
  const { data: word } = await client.call({
    to: token,
    data,
    ...(blockNumber !== undefined && { blockNumber }),
  })
  if (word?.length === 66) return BigInt(word) !== 0n
  throw new InvalidResponseError({ method: 'authorizationState', answer: word })
}

/** The range of blocks that can contain an authorization's execution. */
export type UseRange = {
  /** The authorization was unused before this block. */
  readonly fromBlock: number
  /** The newest block. */
  readonly head: number
  /** End of the authorization's window, in Unix seconds. Only blocks before this time can contain the execution. */
  readonly validBefore: number
  /** Maximum blocks to search after `fromBlock`. Limits the search if a node reports a false head or block times. */
  readonly mostBlocks: number
}

/** Maximum logs of one nonce in a valid response. A token that conforms to EIP-3009 emits only one. */
const MAX_LOGS = 10

/** Blocks per request. Every public node accepts this number. */
const BLOCKS_PER_RANGE = 1_000

/**
 * Finds the transaction, from any sender, that used an authorization's nonce. Returns `null` if the node shows no such
 * transaction, which does not prove that there is none. Reads blocks in ascending order.
 *
 * @throws {BaseError} from viem if no node responds; `InvalidResponseError` if a node reports more than
 * `mostBlocks` blocks before `validBefore`, or more than 10 logs of the nonce
 */
export async function findAuthorizationUse(
  client: ChainClient,
  payment: AuthorizedPayment,
  { fromBlock, head, validBefore, mostBlocks }: UseRange,
): Promise<AuthorizationUse | null> {
  for (let first = fromBlock; first <= head; first += BLOCKS_PER_RANGE) {
    if (first > fromBlock + mostBlocks)
      throw new InvalidResponseError({
        method: 'eth_getBlockByNumber',
        answer: `${first} before ${validBefore}`,
      })
    const last = first + BLOCKS_PER_RANGE - 1
    // The last range has no upper end, because new blocks may have been added.
    const use = await findUseIn(client, payment, { first, last: last < head ? last : null })
    if (use !== null || last >= head) return use
    const { timestamp } = await client.getBlock({ blockNumber: BigInt(last) })
    if (Number(timestamp) >= validBefore) return null
  }
  return null
}

/**
 * Returns the use of an authorization by the given transaction, if the transaction is in the canonical chain and made
 * the signed payment; otherwise `null`.
 *
 * @throws {BaseError} from viem if no node responds
 */
export async function readAuthorizationUse(
  client: ChainClient,
  payment: AuthorizedPayment,
  hash: Hex,
): Promise<AuthorizationUse | null> {
  const receipt = await readCanonicalReceipt(client, hash)
  if (receipt === null) return null
  const { logs, txHash, blockNumber, blockHash } = receipt
  const isPayment =
    logs.some((log) => isMatchingUse(payment, log)) && logs.some((log) => isMatchingTransfer(payment, log))
  return isPayment ? { txHash, blockNumber, blockHash, isPayment } : null
}

async function findUseIn(
  client: ChainClient,
  payment: AuthorizedPayment,
  { first, last }: { readonly first: number; readonly last: number | null },
): Promise<AuthorizationUse | null> {
  const { token, payer, nonce } = payment
  const logs = await client.request({
    method: 'eth_getLogs',
    params: [
      {
        address: token,
        topics: [[USED, CANCELED], pad(payer), nonce],
        fromBlock: numberToHex(first),
        toBlock: last === null ? 'latest' : numberToHex(last),
      },
    ],
  })
  if (logs.length > MAX_LOGS)
    throw new InvalidResponseError({ method: 'eth_getLogs', answer: `${logs.length} logs of one nonce` })
  for (const { transactionHash } of logs) {
    const receipt = transactionHash === null ? null : await findReceipt(client, transactionHash)
    if (receipt?.status !== 'success') continue
    const isPayment = receipt.logs.some((log) => isMatchingTransfer(payment, log))
    const { transactionHash: txHash, blockNumber, blockHash } = receipt
    return { txHash, blockNumber: Number(blockNumber), blockHash, isPayment }
  }
  return null
}

type TokenLog = { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }

function isMatchingUse({ token, payer, nonce }: AuthorizedPayment, { address, topics }: TokenLog): boolean {
  const [event, from, used] = topics
  return address.toLowerCase() === token && event === USED && from === pad(payer) && used === nonce
}

function isMatchingTransfer(
  { token, payer, recipient, value }: AuthorizedPayment,
  { address, topics, data }: TokenLog,
): boolean {
  const [event, from, to] = topics
  return (
    address.toLowerCase() === token &&
    event === TRANSFER &&
    from === pad(payer) &&
    to === pad(recipient) &&
    data === encodeAbiParameters([{ type: 'uint256' }], [value])
  )
}
