import type { EscrowRequestPayload } from '../../shared/db/escrow/escrow-requests.ts'
import type { AuthorizationRequestPayload } from '../../shared/db/pay-by-signature/authorization-requests.ts'
import type {
  RefundClaimRequest,
  RefundDeclaration,
  RefundPayload,
} from '../../shared/db/refunds/refund-requests.ts'
import type { CheckPayload } from '../../shared/db/requests/check-requests.ts'
import type { WebhookRequest } from '../../shared/db/webhooks/webhook-requests.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import type { SignedAuthorization } from '../../shared/domain/eip3009/authorization.ts'
import { findSignatureProblem, parseAuthorization } from '../../shared/domain/eip3009/parse-authorization.ts'
import { ESCROW_ACTIONS } from '../../shared/domain/escrow-action.ts'
import { isId } from '../../shared/domain/ids.ts'
import { ENVIRONMENTS, NETWORKS, parsePairKey, TOKENS } from '../../shared/domain/networks.ts'
import { REFUND_REASONS } from '../../shared/domain/refund/refund.ts'
import { REFUND_AMOUNT } from '../../shared/domain/refund/refund-limits.ts'
import {
  SANDBOX_EVENTS,
  SANDBOX_PAYMENTS,
  SANDBOX_REFUND_EVENTS,
  type SandboxTrigger,
} from '../../shared/domain/sandbox-trigger.ts'

export type Payloads = {
  readonly check: CheckPayload
  readonly sandbox_trigger: SandboxTrigger
  readonly escrow_order: EscrowRequestPayload
  readonly authorization: RequestedAuthorization
  readonly refund: RefundPayload
  readonly delivery_retry: WebhookRequest['payload']
  readonly webhook_test: WebhookRequest['payload']
}

/** The chain and token that must execute the authorization, and the signed authorization, parsed from its fields. */
export type RequestedAuthorization = Pick<AuthorizationRequestPayload, 'chainId' | 'token'> & {
  readonly signed: SignedAuthorization
}

/**
 * Parses the payload of a request. Returns `null` if the API never creates such a payload.
 *
 * Pure. A third party with the API's database role might have written the row, so each value must be in a list, or
 * match a pattern of limited length. The caller must check that the charge belongs to the requesting organization.
 */
export function parsePayload<Kind extends keyof Payloads>(
  kind: Kind,
  payload: unknown,
): Payloads[Kind] | null {
  return isRecord(payload) ? READERS[kind](payload) : null
}

type Fields = Readonly<Record<string, unknown>>

const READERS: { readonly [Kind in keyof Payloads]: (payload: Fields) => Payloads[Kind] | null } = {
  check: readCheck,
  sandbox_trigger: readTrigger,
  escrow_order: readOrder,
  authorization: readAuthorizationRequest,
  refund: readRefund,
  delivery_retry: readEnvironment,
  webhook_test: readEnvironment,
}

const HASH = /^0x[0-9a-f]{64}$/
const ADDRESS = /^0x[0-9a-f]{40}$/
const CLAIM_HASH = /^[0-9a-f]{64}$/

/**
 * Exclusive maximum of amounts: 10^12 dollars, in units of 10^-18 dollars. Every amount that the API accepts is less.
 */
const MAX_ATTO = 10n ** 30n

function readCheck({ hint }: Fields): CheckPayload | null {
  if (hint === null) return { hint }
  if (!isRecord(hint)) return null
  const network = oneOf(NETWORKS, hint['network'])
  const txHash = textLike(HASH, hint['txHash'])
  return network === null || txHash === null ? null : { hint: { network, txHash: txHash as Hex } }
}

function readTrigger({ event: name, amountAtto, pair: place, from: payer }: Fields): SandboxTrigger | null {
  const event = oneOf(SANDBOX_EVENTS, name)
  const pair = isRecord(place) ? parsePairKey(`${String(place['token'])}/${String(place['network'])}`) : null
  const from = textLike(ADDRESS, payer) as Address | null
  if (event === null || pair === null || ((payer ?? null) !== null && from === null)) return null
  if (amountAtto === null) return { event, amountAtto, pair, from }
  const amount = textLike(/^[1-9][0-9]{0,30}$/, amountAtto)
  const isPossible = amount !== null && BigInt(amount) < MAX_ATTO && SANDBOX_PAYMENTS.includes(event)
  return isPossible ? { event, amountAtto: amount, pair, from } : null
}

function readOrder({ chainId, action: what, signature, ...rest }: Fields): EscrowRequestPayload | null {
  const action = oneOf(ESCROW_ACTIONS, what)
  const signed = textLike(/^0x[0-9a-fA-F]{130}$/, signature)
  const isChain = typeof chainId === 'number' && Number.isSafeInteger(chainId) && chainId > 0
  const amountAtomic = textLike(/^[1-9][0-9]{0,77}$/, rest['amountAtomic'])
  if ((rest['amountAtomic'] ?? null) !== null && amountAtomic === null) return null
  return action === null || signed === null || !isChain
    ? null
    : { chainId, action, signature: signed, amountAtomic }
}

function readAuthorizationRequest({
  chainId,
  token: contract,
  ...rest
}: Fields): RequestedAuthorization | null {
  const token = textLike(ADDRESS, contract) as Address | null
  const isChain = typeof chainId === 'number' && Number.isSafeInteger(chainId) && chainId > 0
  if (token === null || !isChain) return null
  const parsed = parseAuthorization({
    ...{ from: textOf(rest['from']), to: textOf(rest['to']), value: textOf(rest['value']) },
    ...{ validAfter: textOf(rest['validAfter']), validBefore: textOf(rest['validBefore']) },
    ...{ nonce: textOf(rest['nonce']), signature: textOf(rest['signature']) },
  })
  return parsed.ok ? { chainId, token, signed: parsed.signed } : null
}

function readRefund(fields: Fields): RefundPayload | null {
  const { action } = fields
  if (action === 'simulate') {
    // The previous build of the API does not send an event.
    const event = oneOf(SANDBOX_REFUND_EVENTS, fields['event'] ?? 'charge.refunded')
    return event && { action, event }
  }
  if (action === 'declare') return readDeclaration(fields)
  const refundId = textOf(fields['refundId'])
  if (!isId('rf', refundId)) return null
  if (action === 'cancel') return { action, refundId }
  if (action === 'check') return readCheckOfRefund(refundId, fields)
  if (action === 'approve') return readApproval(refundId, fields)
  return readLinked(refundId, fields)
}

function readCheckOfRefund(refundId: string, { txHash: hash }: Fields): RefundPayload | null {
  const txHash = textLike(HASH, hash) as Hex | null
  return hash !== null && txHash === null ? null : { action: 'check', refundId, txHash }
}

function readApproval(refundId: string, fields: Fields): RefundPayload | null {
  const address = textLike(ADDRESS, fields['address']) as Address | null
  return address && { action: 'approve', refundId, address }
}

/** Parses a request about the payer's claim link. */
function readLinked(refundId: string, { action, claimHash: hash, ...rest }: Fields): RefundPayload | null {
  const claimHash = textLike(CLAIM_HASH, hash)
  if (claimHash === null) return null
  if (action === 'reject' || action === 'renew_link') return { action, refundId, claimHash }
  const destination = textLike(ADDRESS, rest['destination']) as Address | null
  if (action !== 'claim' || destination === null) return null
  if (rest['signed'] === null) return { action, refundId, claimHash, destination, signed: null }
  const signed = readSignature(rest['signed'])
  return signed && { action, refundId, claimHash, destination, signed }
}

function readSignature(value: unknown): RefundClaimRequest['signed'] {
  if (!isRecord(value)) return null
  const signer = textLike(ADDRESS, value['signer']) as Address | null
  const signature = textLike(/^0x([0-9a-f]{2})+$/, value['signature']) as Hex | null
  if (signer === null || signature === null || findSignatureProblem(signature) !== null) return null
  return { signer, signature }
}

function readDeclaration({
  token: ofToken,
  network: ofNetwork,
  from: wallet,
  ...rest
}: Fields): RefundDeclaration | null {
  const [token, network] = [oneOf(TOKENS, ofToken), oneOf(NETWORKS, ofNetwork)]
  const from = textLike(ADDRESS, wallet) as Address | null
  const destination = textLike(ADDRESS, rest['destination']) as Address | null
  const claimHash = textLike(CLAIM_HASH, rest['claimHash'])
  const isMisspelled =
    (rest['destination'] !== null && destination === null) ||
    ((rest['claimHash'] ?? null) !== null && claimHash === null) ||
    (destination === null) === (claimHash === null) ||
    (ofToken !== null && token === null) ||
    (ofNetwork !== null && network === null) ||
    (wallet !== null && from === null)
  const amount = textLike(REFUND_AMOUNT, rest['amount'])
  const reason = oneOf(REFUND_REASONS, rest['reason'])
  const idempotencyKey = textLike(/^[\x21-\x7e]{1,255}$/, rest['idempotencyKey'])
  if (isMisspelled || amount === null || reason === null || idempotencyKey === null) return null
  return { action: 'declare', amount, token, network, from, destination, claimHash, reason, idempotencyKey }
}

function readEnvironment({ environment: name }: Fields): WebhookRequest['payload'] | null {
  const environment = oneOf(ENVIRONMENTS, name)
  return environment === null ? null : { environment }
}

function oneOf<Value>(values: readonly Value[], value: unknown): Value | null {
  return values.find((one) => one === value) ?? null
}

/** Returns the value if it is a string; otherwise `''`, which matches no pattern. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function textLike(form: RegExp, value: unknown): string | null {
  return typeof value === 'string' && form.test(value) ? value : null
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
