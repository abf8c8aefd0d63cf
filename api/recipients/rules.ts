import { CHAIN_FAMILY_NAMES } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES, parseAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { truncate } from '../http/format-validation-error.ts'
import type { FieldRules } from '../http/middleware/validate.ts'
import type { RegisterRecipientBody } from './schema.ts'

/** Rules of a new recipient that its schema cannot express. */
export const registerRecipientRules: FieldRules<typeof RegisterRecipientBody> = {
  address: ({ address }) => {
    const parsed = parseAddress(address)
    const shown = truncate(JSON.stringify(address))
    if (parsed === null) return { param: 'address', reason: `is ${shown}; it must be ${FORMS}` }
    return ZERO.test(parsed)
      ? { param: 'address', reason: `is ${shown}, the zero address; funds sent there are lost` }
      : null
  },
}

const FORMS = CHAIN_FAMILY_NAMES.map((family) => CHAIN_FAMILIES[family].addressForm).join(', or ')

const ZERO = /^0x0{40}$/
