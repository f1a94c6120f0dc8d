// The participant's page: consent, a break, or the task. It knows neither conditions nor what is right, and sends nothing.
const PERIOD_MS = 400;
const $ = id => document.getElementById(id);

function show(heading, text, words = "", progress = "") {
  for (const [id, told] of Object.entries({ heading, text, words, progress }))
    if ($(id).textContent !== told)
      $(id).textContent = told;
}

function showState(told) {
  const progress = `${told.position} of ${told.of}`;
  if (!told.consent)
    show("Before we begin", told.consent_text, "Do you agree? Please tell the experimenter.");
  else if (told.state === "finished")
    show("All done", "Thank you.");
  else if (told.state === "running")
    show(told.show || (told.say ? "Please listen" : "Please begin"), "", told.say, progress);
  else if (told.break)
    show("Break", told.break, "", progress);
  else
    show("One moment, please", "The table is being prepared.", "", progress);
}

async function update() {
  try {
    const told = await (await fetch("participant")).json();
    if (told)
      showState(told);
  } catch {
    show("One moment, please", "There is no connection."); // it may come back
  }
}

await update();
setInterval(update, PERIOD_MS);
