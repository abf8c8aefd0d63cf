import { createHash } from 'node:crypto'
import { REFUND_REASONS } from '../../../shared/domain/refund/refund.ts'
import { CommandError, parseOptions } from '../../../shared/runtime/command-line.ts'
import type { ApiClient } from '../client.ts'
import {
  approveRefund,
  RefundMismatch,
  type RefundToken,
  rejectClaim,
  requestRefund,
} from '../request-refund.ts'
import type { Schema } from '../schema.ts'
import { readChargeId, readEnvironment, readPair } from './option-values.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Declares a refund of a charge, and prints the transfer that your own wallet must send.

  svc charges refund ID --amount AMOUNT --to ADDRESS
  svc charges refund ID --amount AMOUNT --ask-payer
  svc charges refund ID --amount AMOUNT --to ADDRESS --approve REFUND
  svc charges refund ID --reject REFUND
      --amount AMOUNT        in the token that was paid, such as 5.25; or all, or overpayment
      --to ADDRESS           the address that the payer gave you
      --ask-payer            print a link for the payer, who gives the address there
      --approve REFUND       approve the address that the payer gave there; compare it with the payer's own message first
      --reject REFUND        reject the address that the payer gave there, and print a new link
      --with TOKEN@NETWORK   the pair, if the charge was paid on several; with --approve, the pair that you expect
      --from ADDRESS         the wallet that will pay; default: the charge's payout address; with --approve, the wallet
                             that you expect
      --reason REASON        ${REFUND_REASONS.join(', ')}; default other
      --idempotency-key KEY  default: derived from the charge, --amount, --to, --with and --from, so that a repeated
                             command declares one refund
      --token JSON           a token that is not built in, if you trust it:
                             {"chainId": …, "address": "0x…", "decimals": …}
      --json                 print the refund as JSON

--approve and --reject read the refund first: the key needs charges:read as well.

Sends nothing. The printed transfer is rebuilt from your options; if the service prepared another, the command fails.
The refund is confirmed when the transfer has the required confirmations. You may have received less than you
refund, because fees and splits were paid out of the payment.
`

/** `svc charges refund`. */
export const refundCharge: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const { values, positionals } = parseOptions(args, {
      ...{ texts: TEXTS, flags: ['json', 'ask-payer'], allowPositionals: true },
    })
    const chargeId = readChargeId('charges refund', positionals)
    const { refund, payment } = await perform(api, chargeId, values).catch((error: unknown) => {
      throw error instanceof RefundMismatch
        ? new CommandError(`do not send any money: ${error.message}`, { cause: error })
        : error
    })
    return values.json ? [JSON.stringify(refund, null, 2)] : describe(refund, payment)
  },
}

const TEXTS = [
  ...(['amount', 'to', 'with', 'from', 'reason', 'idempotency-key', 'token'] as const),
  ...(['approve', 'reject'] as const),
] as const

type Values = { readonly [Name in (typeof TEXTS)[number]]?: string | undefined } & {
  readonly 'ask-payer'?: boolean | undefined
}

type Result = {
  readonly refund: Schema<'Refund'> & { readonly claimUrl?: string | null }
  readonly payment: Schema<'RefundPayment'> | null
}

async function perform(api: ApiClient, chargeId: string, values: Values): Promise<Result> {
  const { amount, to, token: json, approve, reject } = values
  if (reject !== undefined) {
    requireOnly(values, ['reject'])
    return { refund: await rejectClaim(api, { chargeId, refundId: reject }), payment: null }
  }
  const token = json === undefined ? undefined : readToken(json)
  const asksPayer = values['ask-payer'] === true
  if (amount === undefined || (to === undefined) !== asksPayer || (asksPayer && approve !== undefined))
    throw new CommandError('charges refund requires --amount, and either --to or --ask-payer; see --help')
  const wanted = { chargeId, environment: readEnvironment(), token }
  if (approve !== undefined && to !== undefined) {
    requireOnly(values, ['approve', 'amount', 'to', 'with', 'from', 'token'])
    return approveRefund(api, { ...wanted, terms: readTerms(values), refundId: approve, address: to, amount })
  }
  return requestRefund(api, { ...wanted, body: buildBody(chargeId, amount, values) })
}

/** Rejects options that would be ignored. */
function requireOnly(values: Values, allowed: readonly (keyof Values)[]): void {
  const names = [...TEXTS, 'ask-payer'] as const
  const isGiven = (name: keyof Values) => values[name] !== undefined && values[name] !== false
  const ignored = names.find((name) => isGiven(name) && !allowed.includes(name))
  if (ignored === undefined) return
  throw new CommandError(`--${ignored} cannot be combined with --${allowed[0]}; see --help`)
}

function readTerms({ with: pair, from }: Values) {
  return { ...(pair !== undefined && readPair('with', pair)), ...(from !== undefined && { from }) }
}

function buildBody(chargeId: string, amount: string, values: Values): Schema<'CreateRefund'> {
  const { to, with: pair, from } = values
  return {
    ...{ amount, destination: to === undefined ? { claim: true } : { address: to } },
    ...readTerms(values),
    reason: readReason(values.reason),
    idempotencyKey: values['idempotency-key'] ?? deriveKey([chargeId, amount, to, pair, from]),
  }
}

function readReason(text = 'other'): Schema<'RefundReason'> {
  const reason = REFUND_REASONS.find((known) => known === text)
  if (reason !== undefined) return reason
  throw new CommandError(
    `--reason is ${JSON.stringify(text)}; it must be one of ${REFUND_REASONS.join(', ')}`,
  )
}

function deriveKey(parts: readonly (string | undefined)[]): string {
  return `svc-${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`
}

function readToken(text: string): RefundToken {
  try {
    const { chainId, address, decimals } = JSON.parse(text)
    const isWhole = Number.isSafeInteger(chainId) && Number.isSafeInteger(decimals)
    if (isWhole && typeof address === 'string') return { chainId, address, decimals }
  } catch {
    // Reported below.
  }
  throw new CommandError(`--token is ${text}; it must be JSON in the format that --help shows`)
}

function describe(
  { id, status, amountExact, token, network, from, destination, expiresAt, claimUrl }: Result['refund'],
  payment: Result['payment'],
): readonly string[] {
  const rows = [
    ['refund', id],
    ['status', status],
    ['amount', `${amountExact} ${token} on ${network}`],
    ['from', from],
    ['to', destination ?? 'the address that the payer gives, once you approve it'],
    ['until', expiresAt],
    ...(claimUrl ? [['link', claimUrl]] : []),
    ...(payment === null
      ? [['transfer', 'nothing to send']]
      : [
          ['contract', payment.to],
          ['data', payment.data],
          ['uri', payment.uri],
        ]),
  ]
  return rows.map(([name = '', value = '']) => `${name.padEnd(12)} ${value}`)
}
