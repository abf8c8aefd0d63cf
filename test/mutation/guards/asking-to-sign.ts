import type { Mutant } from '../mutant.ts'

const SIGN = 'api/checkout/browser/sign.ts'

/** Of every end of which nobody knows. */
const UNKNOWN = 'requests no further payment, even after a reload, when'

const onPage = (title: string) => ({ file: 'test/browser/sign.test.ts', title })

/** What the checkout's page asks a payer to sign, and what it asks for after that. */
export const ASKING_TO_SIGN_RULES: readonly Mutant[] = [
  {
    rule: 'the page has nobody sign what pays another address than it shows',
    file: SIGN,
    take: "    isSame(message.to, checkout.howToPay?.address ?? '') &&\n",
    put: '',
    test: onPage('asks for no signature for another address than the page shows'),
  },
  {
    rule: 'the page leads to no other payment while what was signed may be carried out',
    file: SIGN,
    take: "new WalletError('script.unclear', {}, true)",
    put: "new WalletError('script.unclear', {}, false)",
    test: onPage(UNKNOWN),
  },
  {
    rule: 'only a code that is known to send nothing leads to another payment',
    file: SIGN,
    take: '    default:\n      return unclear()',
    put: '    default:\n      return notNow()',
    test: onPage(UNKNOWN),
  },
  {
    rule: 'a proxy’s no is not the service’s',
    file: 'api/checkout/browser/call-service.ts',
    take: "return code ? { type: 'no', code, atMs }",
    put: "return !response.ok ? { type: 'no', code: code ?? 'not_found', atMs }",
    test: onPage(UNKNOWN),
  },
  {
    rule: 'the page leads to no payment beside what somebody else has signed',
    file: SIGN,
    take: "if (said.type === 'no' && said.code === 'payment_in_progress')",
    put: "if (said.type === 'nothing')",
    test: onPage('requests no payment while someone else’s signature is in flight'),
  },
  {
    rule: 'what was signed has lapsed only by a code that says that nothing is in flight',
    file: SIGN,
    take: 'NOTHING_IN_FLIGHT.has(said.code)',
    put: "said.type === 'no'",
    test: onPage('shows how to pay again once the signature has expired by the service’s clock and'),
  },
  {
    rule: 'what was signed and has come late is not forgotten',
    file: 'api/checkout/browser/pay.ts',
    take: ' && findSubmitted(current()) === sent',
    put: '',
    test: onPage('does not report a late payment as failed, and waits for it after a reorganization'),
  },
  {
    rule: 'who has signed nothing can pay as always, whoever holds the charge up by a signature',
    file: 'api/checkout/browser/show-submitted.ts',
    take: "text: 'script.held', way: 'script.notSigned'",
    put: "text: 'script.held', way: null",
    test: onPage(
      'lets a payer who has signed nothing send a transfer while someone else’s signature blocks the charge',
    ),
  },
  {
    rule: 'what was signed has lapsed by the service’s clock, not by the payer’s',
    file: SIGN,
    take: 'said.atMs >= validBefore',
    put: 'Date.now() >= validBefore',
    test: onPage('shows how to pay again once the signature has expired by the service’s clock and'),
  },
]
