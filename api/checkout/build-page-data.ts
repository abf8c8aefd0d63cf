import { type Phrase, TEXTS } from './languages.ts'
import type { Payment } from './list-payments.ts'
import type { PageData, ScriptPhrase } from './page-data.ts'
import { nameText } from './payee.ts'
import type { Checkout } from './project.ts'
import { capitalize, type Translator } from './translate.ts'

type DataAt = {
  readonly chosen: Payment | null
  readonly words: Translator
  readonly now: Date
  readonly frameOrigins: readonly string[]
}

/** Returns the data that a page gives its script. It must contain only values that the page may show. */
export function buildPageData(checkout: Checkout, { chosen, words, now, frameOrigins }: DataAt): PageData {
  const { environment, networks } = checkout
  return {
    checkout,
    frameOrigins,
    chosen: chosen && { token: chosen.token, network: chosen.network },
    networks: Object.fromEntries(networks.map((name) => [name, words.network(name, environment)])),
    language: words.language,
    now: now.toISOString(),
    payee: capitalize(nameText(checkout, words)),
    texts: listScriptTexts(words),
  }
}

function listScriptTexts({ language }: Translator): PageData['texts'] {
  const entries = Object.entries(TEXTS[language]).filter((entry): entry is [ScriptPhrase & Phrase, string] =>
    entry[0].startsWith('script.'),
  )
  return Object.fromEntries(entries) as PageData['texts']
}
