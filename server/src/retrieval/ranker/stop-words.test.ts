import { expect, test } from 'vitest';
import { contentWords } from './question.ts';

test.each([
  ['Wie kann ich die Farbe des Knopfes ändern?', ['farb', 'knopf', 'andern']],
  ['Comment puis-je changer la couleur du bouton ?', ['puisj', 'changer', 'couleur', 'bouton']],
  ['¿Cómo puedo cambiar el color del botón?', ['cambiar', 'color', 'boton']],
  ['Come posso cambiare il colore?', ['cambiar', 'color']],
  ['Hoe kan ik de kleur veranderen?', ['kleur', 'veranderen']],
  ['how to die with a message in the was module', ['die', 'messag', 'modul']],
])('%s', (question, words) => {
  const found = [...contentWords(question).keys()];
  for (const word of words) expect(found.join(' ')).toContain(word.slice(0, 4));
  expect(found.length).toBeLessThanOrEqual(words.length + 1);
});
