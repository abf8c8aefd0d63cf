import { createHash } from 'node:crypto'
import { REFUND_REASONS } from '../../../shared/domain/refund/refund.ts'
import { CommandError, parseOptions } from '../../../shared/runtime/command-line.ts'
import { RefundMismatch, type RefundToken, requestRefund } from '../request-refund.ts'
import type { Schema } from '../schema.ts'
import { readChargeId, readEnvironment, readPair } from './option-values.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Declares a refund of a charge, and prints the transfer that your own wallet must send.

  svc charges refund ID --amount AMOUNT --to ADDRESS
      --amount AMOUNT        in the token that was paid, such as 5.25; or all, or overpayment
      --to ADDRESS           the address that the payer gave you
      --with TOKEN@NETWORK   the pair, if the charge was paid on several
      --from ADDRESS         the wallet that will pay; default: the charge's payout address
      --reason REASON        ${REFUND_REASONS.join(', ')}
      --idempotency-key KEY  default: made of the other options, so that the same command declares one refund
      --token JSON           a token that is not built in, if you trust it:
                             {"chainId": …, "address": "0x…", "decimals": …}
      --json                 print the refund as JSON

Sends nothing. The printed transfer is rebuilt from your options; if the service prepared another one, the command fails.
The refund is confirmed when the transfer has the required confirmations. You received less than you refund, because
fees and splits were paid out of the payment.
`

/** `svc charges refund`. */
export const refundCharge: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const texts = ['amount', 'to', 'with', 'from', 'reason', 'idempotency-key', 'token'] as const
    const { values, positionals } = parseOptions(args, { texts, flags: ['json'], allowPositionals: true })
    const chargeId = readChargeId('charges refund', positionals)
    const { amount, to, with: pair, from, token } = values
    if (amount === undefined || to === undefined)
      throw new CommandError('charges refund requires --amount and --to; see --help')
    const body: Schema<'CreateRefund'> = {
      ...{ amount, destination: { address: to }, ...(pair !== undefined && readPair('with', pair)) },
      ...(from !== undefined && { from }),
      reason: readReason(values.reason),
      idempotencyKey: values['idempotency-key'] ?? deriveKey([chargeId, amount, to, pair, from]),
    }
    const environment = readEnvironment()
    const wanted = { chargeId, environment, body, token: token === undefined ? undefined : readToken(token) }
    const { refund, payment } = await requestRefund(api, wanted).catch((error: unknown) => {
      throw error instanceof RefundMismatch
        ? new CommandError(`send nothing: ${error.message}`, { cause: error })
        : error
    })
    return values.json ? [JSON.stringify(refund, null, 2)] : describe(refund, payment)
  },
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
  { id, status, amountExact, token, network, from, destination, expiresAt }: Schema<'Refund'>,
  payment: Schema<'RefundPayment'> | null,
): readonly string[] {
  const rows = [
    ['refund', id],
    ['status', status],
    ['amount', `${amountExact} ${token} on ${network}`],
    ['from', from],
    ['to', destination],
    ['until', expiresAt],
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
