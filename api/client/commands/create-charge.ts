import { CommandError, parseOptions, required } from '../../../shared/runtime/command-line.ts'
import { requireData } from '../client.ts'
import type { Schema } from '../schema.ts'
import { readNumber, readPair } from './option-values.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Creates a charge.

  svc charges create --amount 10 --accept USDC@base [--accept USDT@bnb …]
      --expires-in SECONDS     60 to 3600; default 3600
      --fee-payer WHO          merchant or payer; default merchant
      --external-ref TEXT      your own reference, such as an order number
      --idempotency-key TEXT   repeating a key returns the existing charge
      --json                   print the whole charge as JSON
`

const DEFAULT_EXPIRES_IN = '3600'

/** `svc charges create`. */
export const createCharge: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const texts = ['amount', 'expires-in', 'fee-payer', 'external-ref', 'idempotency-key'] as const
    const { values } = parseOptions(args, { texts, lists: ['accept'], flags: ['json'] })
    const body = {
      amount: readNumber('amount', required(values.amount, 'amount')),
      acceptedPayments: readPairs(values.accept),
      expiresIn: readNumber('expires-in', values['expires-in'] ?? DEFAULT_EXPIRES_IN),
      ...(values['fee-payer'] !== undefined && { feePayer: values['fee-payer'] as 'merchant' | 'payer' }),
      ...(values['external-ref'] !== undefined && { externalRef: values['external-ref'] }),
      ...(values['idempotency-key'] !== undefined && { idempotencyKey: values['idempotency-key'] }),
    }
    const charge = await requireData(api.POST('/v1/charges', { body }))
    return values.json ? [JSON.stringify(charge, null, 2)] : presentCharge(charge)
  },
}

function presentCharge(charge: Schema<'Charge'>): readonly string[] {
  const pairs = charge.acceptedPayments.map(({ token, network }) => `${token} on ${network}`).join(' or ')
  return [
    `charge   ${charge.id}`,
    `pay      ${charge.amountExact ?? charge.amount} USD in ${pairs}`,
    `to       ${charge.address}`,
    `until    ${charge.expiresAt}`,
    `Follow it with: svc charges watch ${charge.id}`,
  ]
}

function readPairs(texts: readonly string[]): Schema<'AcceptedPayment'>[] {
  if (texts.length === 0)
    throw new CommandError('--accept is missing; pass at least one pair, such as USDC@base')
  return texts.map((text) => readPair('accept', text))
}
