import { parseAddress } from '../../shared/domain/address.ts'
import { shorten } from '../middleware/describe-problem.ts'
import type { FieldRules } from '../middleware/validate.ts'
import type { RegisterRecipientBody } from './schema.ts'

/** What the schema of a new recipient cannot say of its fields. */
export const registerRecipientRules: FieldRules<typeof RegisterRecipientBody> = {
  address: ({ address }) => {
    const parsed = parseAddress(address)
    const shown = shorten(JSON.stringify(address))
    if (parsed === null) return { param: 'address', reason: `is ${shown}; it must be ${FORMS}` }
    return ZERO.test(parsed)
      ? { param: 'address', reason: `is ${shown}, the zero address: money sent there is lost` }
      : null
  },
}

const FORMS =
  '0x and 40 hex digits, in one case or with a right checksum (EIP-55), or a TRON address (T…) with a right checksum'

const ZERO = /^0x0{40}$/
