import type { FieldRules } from '../../http/middleware/validate.ts'
import type { CheckBody } from './schema.ts'

/** Rules that the schema cannot express: hash and network must be given together. */
export const checkRules: FieldRules<typeof CheckBody> = {
  txHash: ({ txHash, network }) =>
    txHash !== undefined && network === undefined
      ? { param: 'network', reason: 'is missing; give txHash and network together' }
      : null,
  network: ({ txHash, network }) =>
    network !== undefined && txHash === undefined
      ? { param: 'txHash', reason: 'is missing; give txHash and network together' }
      : null,
}
