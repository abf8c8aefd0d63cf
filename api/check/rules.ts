import type { FieldRules } from '../middleware/validate.ts'
import type { CheckBody } from './schema.ts'

/** What the schema of a check cannot say: a transaction is on a network. */
export const checkRules: FieldRules<typeof CheckBody> = {
  txHash: ({ txHash, network }) =>
    txHash !== undefined && network === undefined
      ? { param: 'network', reason: 'is missing; txHash and network come together' }
      : null,
  network: ({ txHash, network }) =>
    network !== undefined && txHash === undefined
      ? { param: 'txHash', reason: 'is missing; txHash and network come together' }
      : null,
}
