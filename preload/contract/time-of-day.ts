// What a time of day looks like, for every side that reads one: hours and minutes of a whole day, such as 21:30. Imports nothing.

export const TIME_OF_DAY = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/;
