import type { Mutant } from '../mutant.ts'

/** What a client of the API may do and see. */
export const API_RULES: readonly Mutant[] = [
  {
    rule: 'a wrong checksum of a key asks no database',
    file: 'api/middleware/authenticate.ts',
    take: 'if (parseApiKey(text) === null) return refuse(',
    put: "if (text === '') return refuse(",
    test: {
      file: 'test/integration/api/gate.test.ts',
      title: 'asks the database for no key whose checksum is wrong',
    },
  },
  {
    rule: 'a replay never hands out a charge that pays another wallet',
    file: 'api/charges/request-hash.ts',
    take: '    payoutAddress: key.payoutAddress,\n',
    put: '',
    test: {
      file: 'test/integration/api/create-charge.test.ts',
      title: 'refuses a key of the organization that pays another wallet',
    },
  },
]
