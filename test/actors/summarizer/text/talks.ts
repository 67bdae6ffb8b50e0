// Small transcripts written for these tests, with the sentences marked by `*` that a logger would keep;
// chatter is as long as what matters, and some of what matters is short. `tuned` were looked at while weights
// were chosen, `held` were written before that and not looked at.

const tuned: readonly string[] = [
  `A: Hi, is this thing on?
B: Yes, I think we are good.
A: Okay, great, let us start then.
A: So we have the light over there, and if you could sit a bit more to the left, that would be lovely, thank you.
B: Like this, or should I move the chair a little bit so that you can see me better over there?
*A: How did you come to build the bridge over the Arno valley?
B: Well, that is a long story.
*B: In 1987 the old bridge fell into the river, and two villages were cut off for a whole winter.
B: You know, people were quite upset.
B: I mean, you know how it is, you talk to people and everybody has something to say about everything.
*B: Nobody came to help us.
*B: My father was the engineer of the first bridge, and everybody blamed him.
A: That must have been hard.
B: Yes, it was, yes.
*B: So I promised to build a new bridge that would stand for two hundred years.
A: Shall we take a break?
B: Sure, let me get some water.`,
  `A: Welcome back to the kitchen.
A: So, yeah, it is lovely to have you here.
A: I have been looking forward to this all week long, and I hope that you are all doing well wherever you are.
A: If you like what you see here, then do not forget to tell all of your friends about the show.
*A: Today we bake a rye bread that needs no kneading.
A: It smells so good already.
*A: First you mix five hundred grams of rye flour with the sourdough and water.
A: Like this, you see.
*A: No yeast at all.
A: It looks a bit strange right now, I know, but do not worry about that, it will all come together nicely.
A: Oh, that is sticky, okay.
*A: Then the dough rests for twelve hours under a wet towel.
A: I have one here already, as they say.
*A: Bake it at 230 degrees with steam, and the crust will be dark and thick.
A: Mm, look at that.
A: Okay.
A: See you next week, bye.`,
  `A: Good evening, everyone, can you hear me?
A: Okay, so, next slide please.
A: I would like to thank the people who have invited me here, and of course all of you for coming out tonight.
A: Let me just see whether this thing here works, because the last time it did not really want to do what I wanted.
*A: Our study followed four thousand bees with tiny radio tags over three summers.
A: It was a lot of work, as you can imagine.
A: So, um, here you can see a bee.
*A: We found that bees from fields with pesticides forget the way back to the hive twice as often.
A: Right, and, well, this one is a nice picture as well.
*A: The hives without flowers nearby lost a third of their bees before autumn.
A: I will skip this slide.
A: I could talk about this one for a very long time, but I have only a few minutes left, as I can see over there.
*A: Mites were not to blame.
*A: That means that a strip of wild flowers beside each field would save more bees than any ban.
A: Okay, that is all from me.
A: Thank you very much.
A: Any questions?`,
  `A: Where have you been?
B: Out.
A: Out, again, out.
A: I have been waiting here for you all night long and you just come in here as if nothing at all was the matter.
B: Could we please not do this right now, I am tired and I really just want to go to bed.
*A: You told mother that you sold the boat, and now I find it in the harbour.
B: It is not what you think.
A: No?
*B: I never sold the boat, Anna, I hid it because father's debts were not his own.
A: What are you talking about?
B: Sit down.
B: Please.
*B: Father did not drink.
A: I do not want to sit down, I want you to tell me what this is all about, right now.
*B: The bank forged his name on the papers for the boat and the house.
A: Oh my god.
*A: Then we have to go to the police before they take the house on Monday.
B: Yes.`,
  `A: What a day, what a day here.
A: Look at this, look at this.
A: It is so good to be out here with all of you on a day like this, you really could not ask for more, could you?
B: Absolutely, I was just saying the same thing to somebody over there, it really does not get any better than this.
*A: Thirty thousand people have come to the harbour for the start of the regatta.
A: Oh, this is so nice.
A: Hello, hello over there.
*A: The wind has reached forty knots, and the smaller boats have been told to stay in the harbour.
B: Yes, it is quite something.
A: It is, it is.
*B: The lighthouse is closed.
A: I wish that everybody at home could see what we can see from up here, it is simply something else.
*B: The crew of the Albatros broke a mast an hour ago and was brought back by the rescue boat.
A: Are they okay?
B: Yes, they are all okay.
*A: So the regatta starts with eleven boats, for the first time without the champion.
A: Back to you.`,
];

const held: readonly string[] = [
  `A: Can you say your name for the level?
B: Sure, hello, hello, one two.
A: Perfect, thank you.
A: I am going to ask you a few things, and you can just talk to me as if the camera was not there at all.
B: All right, I will try that, but I have to say that I am not used to talking to somebody like this.
*A: When did you first see the wolves in the forest behind your farm?
B: Hm, let me think about that.
*B: It was in March 2014, when seven wolves crossed the frozen lake below the farm.
A: Wow.
B: Yeah, I could not believe it.
*B: In the first year they killed nineteen of my sheep, and the forest office paid for four.
B: So, you know.
*B: I sold the horses.
B: You get up in the morning, you look out there, and you ask yourself what you are going to see this time.
A: I see.
*B: Since I have the two dogs and the high fence, the wolves have not taken a single sheep.
B: They are good dogs, these two.
A: Can we see them?
B: Of course, come along.`,
  `A: Hey everybody, what is up.
A: Thanks for all the nice comments.
A: I read all of them, I really do, even when I do not always have the time to answer every single one of you.
A: Before we get into it, let me just quickly say that it means a lot to me that so many of you keep watching.
*A: In this video we change the chain and the gears of an old bicycle in twenty minutes.
A: It is easy, really.
*A: First shift to the smallest gear and open the chain with a chain tool.
A: There we go.
*A: Never cut the outer pin.
A: I always have trouble with this one here, but give it a little time and then it usually goes just fine.
A: Uh, wait, my hands are dirty.
*A: Then count the links, because a chain with one link too many will jump off the gears.
A: Like that, nice.
A: Where is the other one?
*A: Put two drops of oil on every link, and wipe the chain until the cloth stays clean.
A: And that is it.
A: Leave a like and see you soon.`,
  `A: Thank you for having me.
A: So, um, let me start with a picture.
A: I hope that you can all see it from back there, otherwise there are still some seats here in the front.
A: It took me some time to find this one at home, it was in a box with all kinds of other things.
*A: The glacier above our village has lost sixty metres of ice since my grandfather measured it in 1931.
A: This is him, by the way.
A: Nice hat, I know.
*A: Our measurements show that the glacier now melts from below, where warm water runs under the ice.
A: You can see it here, sort of.
A: Okay, next one.
*A: Three springs are already dry.
A: I have to say that I did not make this one myself, somebody at the office was so kind to do it for me.
*A: By 2045 the river will have half of the water in summer, and the village lives from that river.
A: It is what it is.
*A: We therefore propose to build two small lakes above the village that keep the water of spring.
A: So, yeah.
A: I am happy to take questions.`,
  `A: You came.
B: Of course I came.
A: Good, good.
A: I was not sure whether you would, after everything that was said between us the last time that we saw each other.
B: You made it sound as if I did not have much of a choice in the matter, so here I am now.
*A: The painting in the museum is a copy, and the director knows it.
B: What?
*A: The frame is too new.
A: Keep your voice down, please, you never know who could be sitting behind us in a place like this.
B: Are you serious?
*A: I saw the real painting last night in the cellar of the director's brother in Vienna.
B: You broke in?
A: The door was open.
A: Well, almost.
*B: If the director sold the painting, then the insurance money from the fire was a fraud as well.
A: Yes.
A: Exactly.
*B: We meet the prosecutor tomorrow at nine, and you bring the photographs of the cellar.
A: Okay.
A: Be careful.`,
  `A: And we are live, hello.
B: Hello, hello.
A: How great is this?
A: I have to tell you, I was up so early this morning, and then I thought that we might not even make it here.
B: Same here, same here, but now that we are standing here I would not want to be anywhere else.
*A: After twelve years the tram is back in the old town, and the first one left the square at noon.
B: It is really beautiful.
A: It is.
*B: The city paid ninety million for nine kilometres of track, twice as much as was planned.
A: Yes, well.
*B: The mayor stayed at home.
A: We will of course talk a bit more about all of that later on, when we have some more time to do so.
A: Oh, look, there it comes.
B: So nice.
*A: Shop owners on the square say that they lost a third of their customers while the track was built.
B: Hm.
*B: From Monday a tram runs every six minutes, and until Christmas nobody pays for a ticket.
A: Lovely.
A: Thanks for watching.`,
];

export interface Talk {
  readonly segments: readonly { start_seconds: number; end_seconds: number; text: string; speaker: string }[];
  /** Texts of the sentences to keep. */
  readonly keys: readonly string[];
  readonly lines: number;
}

function talkOf(script: string): Talk {
  const keys: string[] = [];
  let at = 0;
  const segments = script.split('\n').map((line) => {
    const [, mark, speaker, text] = /^(\*?)(\w): (.*)$/.exec(line)!;
    if (mark === '*') keys.push(text!);
    const start_seconds = at;
    at += 0.4 + text!.length * 0.06;
    return { start_seconds, end_seconds: at - 0.4, text: ` ${text}`, speaker: `SPEAKER_${speaker}` };
  });
  return { segments, keys, lines: segments.length };
}

export const talks = { tuned: tuned.map(talkOf), held: held.map(talkOf) };
