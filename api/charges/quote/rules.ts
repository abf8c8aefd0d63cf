import { parseEvmAddress } from '../../../shared/domain/address.ts'
import type { FieldRules } from '../../http/middleware/validate.ts'
import type { QuoteBody } from './schema.ts'

/** Rules that the schema does not express: the format and the checksum of the address. */
export const quoteRules: FieldRules<typeof QuoteBody> = {
  takerAddress: ({ takerAddress }) =>
    parseEvmAddress(takerAddress) === null
      ? {
          param: 'takerAddress',
          reason: 'must be 0x and 40 hex digits, all lowercase, all uppercase or with a checksum',
        }
      : null,
}
