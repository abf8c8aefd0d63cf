import type { Mutant } from '../mutant.ts'

const inBrowser = (title: string) => ({ file: 'test/browser/embed.test.ts', title })
const NOT_ALLOWED = 'no report if it is not allowed to embed the page, or is not the page’s parent'

/** Rules for the windows and origins with which a framed checkout and the page around it exchange messages. */
export const EMBEDDING_RULES: readonly Mutant[] = [
  {
    rule: 'a framed page sends its reports only to the origin of the page that embeds it',
    at: 'api/checkout/browser/report-steps.ts#startReports',
    take: 'postMessage({ type }, merchant)',
    put: "postMessage({ type }, '*')",
    test: inBrowser('reports that are sent only to the merchant’s origin'),
  },
  {
    rule: 'a framed page reports only to an origin that may embed it',
    at: 'api/checkout/browser/report-steps.ts#startReports',
    take: '!current().frameOrigins.includes(origin) ||',
    put: '',
    test: inBrowser(NOT_ALLOWED),
  },
  {
    rule: 'a framed page reports only to its parent window, and only after the parent has requested it',
    at: 'api/checkout/browser/report-steps.ts#startReports',
    take: 'source !== window.parent ||',
    put: '',
    test: inBrowser(NOT_ALLOWED),
  },
  {
    rule: 'a merchant’s page accepts messages only from the window of its own frame',
    at: 'api/checkout/embed/open-dialog.ts#openDialog',
    take: 'source !== frame.contentWindow ||',
    put: '',
    test: inBrowser('from another window, even if it has the checkout’s origin'),
  },
  {
    rule: 'a merchant’s page accepts messages only from the checkout’s origin',
    at: 'api/checkout/embed/open-dialog.ts#openDialog',
    take: '|| origin !== page.origin',
    put: '',
    test: inBrowser('from another origin, even in its own frame'),
  },
  {
    rule: 'a merchant’s page greets only the checkout’s origin',
    at: 'api/checkout/embed/open-dialog.ts#openDialog',
    take: 'postMessage({ type: HELLO }, page.origin)',
    put: "postMessage({ type: HELLO }, '*')",
    test: inBrowser('sends `checkout:hello` only to the checkout in its frame'),
  },
  {
    rule: 'the dialog opens only pages of the checkout that served the script',
    at: 'api/checkout/embed/main.ts#openCheckout',
    take: '!page.href.startsWith(BASE)',
    put: '!page.href',
    test: inBrowser('rejects a URL that is not a page of the checkout'),
  },
  {
    rule: 'a link that leads elsewhere does not open in the dialog',
    at: 'api/checkout/embed/main.ts#openLink',
    take: '|| !link.href.startsWith(BASE)',
    put: '',
    test: inBrowser('if the link leads elsewhere'),
  },
]
