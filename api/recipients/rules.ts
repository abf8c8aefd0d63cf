import { ADDRESS_FAMILIES } from '../../shared/domain/address.ts'
import { FAMILIES, parseAddress } from '../../shared/domain/families/families.ts'
import { shorten } from '../middleware/describe-problem.ts'
import type { FieldRules } from '../middleware/validate.ts'
import type { RegisterRecipientBody } from './schema.ts'

/** Rules of a new recipient that its schema cannot express. */
export const registerRecipientRules: FieldRules<typeof RegisterRecipientBody> = {
  address: ({ address }) => {
    const parsed = parseAddress(address)
    const shown = shorten(JSON.stringify(address))
    if (parsed === null) return { param: 'address', reason: `is ${shown}; it must be ${FORMS}` }
    return ZERO.test(parsed)
      ? { param: 'address', reason: `is ${shown}, the zero address; funds sent there are lost` }
      : null
  },
}

const FORMS = ADDRESS_FAMILIES.map((family) => FAMILIES[family].addressForm).join(', or ')

const ZERO = /^0x0{40}$/
