import { encodeAbiParameters, numberToHex, pad, toEventSelector, toFunctionSelector } from 'viem'
import type { Address, Hex } from '../domain/address.ts'
import type { ChainClient } from './client.ts'
import { UnusableAnswerError } from './node-errors.ts'
import { findReceipt, readCanonicalReceipt } from './receipts.ts'

/** One authorization as a token keeps it. */
export type AuthorizationOfPayer = {
  readonly token: Address
  readonly payer: Address
  readonly nonce: Hex
}

/** What the authorization is to pay. */
export type AuthorizedPayment = AuthorizationOfPayer & {
  readonly recipient: Address
  /** The token's atomic units. */
  readonly value: bigint
}

/** The transaction that spent an authorization's nonce. */
export type AuthorizationUse = {
  readonly txHash: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  /** It paid what was signed; else the nonce was canceled, or spent for another payment. */
  readonly isPayment: boolean
}

/** @see https://eips.ethereum.org/EIPS/eip-3009 */
const USED = toEventSelector('AuthorizationUsed(address,bytes32)')
const CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)')
const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const STATE = toFunctionSelector('authorizationState(address,bytes32)')

/**
 * Tells whether a token holds an authorization's nonce for spent, at this block; without one at the newest.
 *
 * @throws {BaseError} viem's, if no node answers, or has that block, or the token has no such function
 */
export async function isAuthorizationSpent(
  client: ChainClient,
  { token, payer, nonce }: AuthorizationOfPayer,
  blockNumber?: bigint,
): Promise<boolean> {
  const data: Hex = `${STATE}${pad(payer).slice(2)}${nonce.slice(2)}`
  const { data: word } = await client.call({
    to: token,
    data,
    ...(blockNumber !== undefined && { blockNumber }),
  })
  if (word?.length === 66) return BigInt(word) !== 0n
  throw new UnusableAnswerError({ method: 'authorizationState', answer: word })
}

/** In which blocks an authorization can have been carried out. */
export type UseRange = {
  /** It was not spent before. */
  readonly fromBlock: number
  /** The newest. */
  readonly head: number
  /** Unix seconds: in no block of this time or later. */
  readonly validBefore: number
  /** So many at most, whatever a node says of its head and of their time. */
  readonly mostBlocks: number
}

/** More than one of a nonce's, a token that keeps to EIP-3009 never has. */
const MOST_LOGS = 10

/** Every public node answers logs of so many blocks. */
const BLOCKS_PER_RANGE = 1_000

/**
 * Finds the transaction that spent an authorization's nonce, whoever sent it; `null` if the node shows none, which proves
 * nothing.
 *
 * Reads a thousand blocks at a time, the oldest first, up to those past its window: however long ago that was.
 *
 * @throws {BaseError} viem's, if no node answers, or one holds more blocks for those of its window than there can be
 */
export async function findAuthorizationUse(
  client: ChainClient,
  payment: AuthorizedPayment,
  { fromBlock, head, validBefore, mostBlocks }: UseRange,
): Promise<AuthorizationUse | null> {
  for (let first = fromBlock; first <= head; first += BLOCKS_PER_RANGE) {
    if (first > fromBlock + mostBlocks)
      throw new UnusableAnswerError({
        method: 'eth_getBlockByNumber',
        answer: `${first} before ${validBefore}`,
      })
    const last = first + BLOCKS_PER_RANGE - 1
    // Up to the newest, which may have become newer meanwhile.
    const use = await findUseIn(client, payment, { first, last: last < head ? last : null })
    if (use !== null || last >= head) return use
    const { timestamp } = await client.getBlock({ blockNumber: BigInt(last) })
    if (Number(timestamp) >= validBefore) return null
  }
  return null
}

/**
 * Answers a transaction that is known to carry an authorization out as its use, if the chain has it and it paid what was
 * signed; else `null`.
 *
 * @throws {BaseError} viem's, if no node answers
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
    logs.some((log) => isUseOf(payment, log)) && logs.some((log) => isTransferOf(payment, log))
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
  if (logs.length > MOST_LOGS)
    throw new UnusableAnswerError({ method: 'eth_getLogs', answer: `${logs.length} of one nonce` })
  for (const { transactionHash } of logs) {
    const receipt = transactionHash === null ? null : await findReceipt(client, transactionHash)
    if (receipt?.status !== 'success') continue
    const isPayment = receipt.logs.some((log) => isTransferOf(payment, log))
    const { transactionHash: txHash, blockNumber, blockHash } = receipt
    return { txHash, blockNumber: Number(blockNumber), blockHash, isPayment }
  }
  return null
}

type TokenLog = { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }

function isUseOf({ token, payer, nonce }: AuthorizedPayment, { address, topics }: TokenLog): boolean {
  const [event, from, used] = topics
  return address.toLowerCase() === token && event === USED && from === pad(payer) && used === nonce
}

function isTransferOf(
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
